type LogFields = Readonly<Record<string, unknown>>;

/** The logger that the host gives to a service and its libraries. */
export interface Log {
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}
