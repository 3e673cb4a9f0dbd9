import type { ClientSettings, Principal } from '@receipts/kernel';

/** The sender of a request, after its credentials were verified. */
export interface Caller {
  readonly principal: Principal;
  /** Empty for the operator and for anonymous callers. */
  readonly retailer: string;
  /** See `holdsPermission`. */
  readonly permissions: readonly string[];
  readonly settings?: ClientSettings;
  /** The consumers to whom a signature restricts the request. */
  readonly consumers?: readonly string[];
  /** The key of the rate limit. Callers with the same key share one limit. */
  readonly limitedAs: string;
}

/** The sender of a request without credentials, or of one that is not authenticated yet. */
export const anonymous: Caller = {
  principal: { kind: 'service', id: 'gateway' },
  retailer: '',
  permissions: [],
  limitedAs: 'public',
};
