import { ServiceError, type Reply } from '@receipts/kernel';
import { errorTypeOf } from '../reporting/spans';

/** The result of handling one item: a reply, a refusal (which is a valid reply too), or an unexpected fault. */
export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'refusal'; readonly refusal: ServiceError }
  | { readonly kind: 'fault'; readonly fault: unknown };

export function outcomeOfError(error: unknown): Outcome {
  return error instanceof ServiceError
    ? { kind: 'refusal', refusal: error }
    : { kind: 'fault', fault: error };
}

export function statusOf(outcome: Outcome): number {
  if (outcome.kind === 'refusal') return outcome.refusal.status;
  return outcome.kind === 'reply' ? 200 : 500;
}

/** The error of an outcome for its span; a refusal that is the caller's fault is not an error of this service. */
export function spanErrorOf(outcome: Outcome): string | undefined {
  if (outcome.kind === 'fault') return errorTypeOf(outcome.fault);
  const status = statusOf(outcome);
  return status >= 500 ? String(status) : undefined;
}
