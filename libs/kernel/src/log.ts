/**
 * Fields of a log record: snake_case names, plain values. They must never contain bodies, secrets or personal data.
 * Pass an error itself, as `{ error }`: the logger writes its name, message, code, stack and causes, without the data
 * that messages quote.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger for a service and its libraries, provided by the host. */
export interface Log {
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}

/** A log that discards its records. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
