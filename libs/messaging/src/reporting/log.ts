import { ServiceError } from '@receipts/kernel';

type Fields = Readonly<Record<string, unknown>>;

/** The part of a logger that messaging uses; the host's logger satisfies it. */
export interface Log {
  debug(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}

/** The log fields of an error. */
export function faultFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  // A ServiceError is expected, so its stack is of no interest.
  if (error instanceof ServiceError) return { error: error.message, error_name: error.name };
  return { error: error.message, error_name: error.name, stack: error.stack };
}
