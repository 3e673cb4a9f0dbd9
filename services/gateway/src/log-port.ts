type Fields = Readonly<Record<string, unknown>>;

/** The logger of `@receipts/host` fits. */
export interface Log {
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}
