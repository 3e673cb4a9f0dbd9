import { ServiceError } from '@receipts/kernel';

type Fields = Readonly<Record<string, unknown>>;

/** What messaging needs of a log; the host's logger fits. */
export interface Log {
  debug(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}

/** What is said of an error in the log. */
export function faultFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  // An expected error says all there is to say; where it was thrown does not matter.
  if (error instanceof ServiceError) return { error: error.message, error_name: error.name };
  return { error: error.message, error_name: error.name, stack: error.stack };
}
