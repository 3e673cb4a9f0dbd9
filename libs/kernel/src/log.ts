type LogFields = Readonly<Record<string, unknown>>;

/** The logger for a service and its libraries, provided by the host. */
export interface Log {
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}
