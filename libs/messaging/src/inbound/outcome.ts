import { retrySoon, ServiceError, unavailable, type Reply } from '@receipts/kernel';
import { errorTypeOf } from '../reporting/spans';

/**
 * The result of handling one item. A `ServiceError` is an expected error, which is also a valid reply; other errors are
 * faults.
 */
export type HandlerResult = { readonly reply: Reply } | { readonly error: unknown };

export function statusOf(outcome: HandlerResult): number {
  if ('reply' in outcome) return 200;
  return outcome.error instanceof ServiceError ? outcome.error.status : 500;
}

/** The error of an outcome for its span; an error caused by the caller is not an error of this service. */
export function spanErrorOf(outcome: HandlerResult): string | undefined {
  if ('reply' in outcome) return undefined;
  if (!(outcome.error instanceof ServiceError)) return errorTypeOf(outcome.error);
  return outcome.error.status >= 500 ? String(outcome.error.status) : undefined;
}

/** The outcome of a request for a contract that this process does not serve. */
export function notServed(type: string): HandlerResult {
  return { error: retrySoon(unavailable, { internal: `${type} is not served here` }) };
}
