/** A log that discards its records. */
export const silentLog = { debug() {}, info() {}, warn() {}, error() {} };
