import type { ValidationDetails } from '@receipts/contracts';

/** Somebody who can tell how good an e-mail address is. */
export interface ValidationProvider {
  /** As the answer shows it. */
  readonly name: 'local' | 'http';
  /** Never rejects: what could not be found out is `unknown`. `signal` ends it. */
  validate(identifier: string, signal: AbortSignal): Promise<ValidationDetails>;
}
