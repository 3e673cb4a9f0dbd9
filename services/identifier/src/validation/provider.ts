import type { ValidationDetails } from '@receipts/contracts';

/** A validator of e-mail addresses. */
export interface ValidationProvider {
  /** The name shown in the response. */
  readonly name: 'local' | 'http';
  /** Never rejects: without a result, the status is `unknown`. `signal` aborts it. */
  validate(identifier: string, signal: AbortSignal): Promise<ValidationDetails>;
}
