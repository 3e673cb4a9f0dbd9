type Fields = Readonly<Record<string, unknown>>;

/** Implemented by the logger of `@receipts/host`. */
export interface Log {
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}
