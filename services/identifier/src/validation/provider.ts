import type { ValidationDetails } from '@receipts/contracts';

/** A validator of e-mail addresses. */
export interface ValidationProvider {
  /** The name shown in the response. */
  readonly name: 'local' | 'http';
  /** Never rejects: if there is no result, the status is `unknown`. `signal` aborts the validation. */
  validate(identifier: string, signal: AbortSignal): Promise<ValidationDetails>;
}
