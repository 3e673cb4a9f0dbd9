/** Where tasks report failed runs that nobody waits for: the part of a log that they use. */
export interface TaskLog {
  warn(msg: string, fields?: Readonly<Record<string, unknown>>): void;
}
