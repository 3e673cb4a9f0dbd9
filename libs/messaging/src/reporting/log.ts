import { ServiceError } from '@receipts/kernel';

export type { Log } from '@receipts/kernel';

type Fields = Readonly<Record<string, unknown>>;

/** The log fields of an error. */
export function faultFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  // A ServiceError is expected, so its stack is of no interest.
  if (error instanceof ServiceError) return { error: error.message, error_name: error.name };
  return { error: error.message, error_name: error.name, stack: error.stack };
}
