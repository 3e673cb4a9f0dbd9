/** An object with arbitrary members. Any key is allowed, including `__proto__`, because it is only stored as data. */
export type FreeObject = Readonly<Record<string, unknown>>;

/** Makes a check run even if another check has failed, so that all errors are reported. */
export const always = { when: () => true };

export function isObject(value: unknown): value is FreeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
