import type { ClientSettings, Principal } from '@receipts/kernel';

/** The permissions of a credential (docs/interface.md, "Permissions"). */
export interface Permissions {
  readonly names: readonly string[];
  has(permission: string): boolean;
}

export function permissionsOf(names: readonly string[]): Permissions {
  const held = new Set(names);
  const holdsAll = held.has('view.*');
  return { names, has: (permission) => holdsAll || held.has(permission) };
}

/** The sender of a request, after its credentials were verified. */
export interface Caller {
  readonly principal: Principal;
  /** Empty for the operator and for anonymous callers. */
  readonly retailer: string;
  readonly permissions: Permissions;
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
  permissions: permissionsOf([]),
  limitedAs: 'public',
};
