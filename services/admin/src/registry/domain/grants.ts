import { everyPermission, holdsPermission, notGranted } from '@receipts/contracts';
import { ServiceError, type Call, type ErrorDefinition } from '@receipts/kernel';

/** The limits on what a caller may give or take: at most its own permissions, and at least its own restrictions. */
export interface Grants {
  readonly permissions: readonly string[];
  readonly consumerRequired: boolean;
  /** The stores that the caller may see; undefined for all. */
  readonly stores?: readonly string[] | undefined;
}

/**
 * The permissions and the restrictions that the caller may grant. The operator and internal services have all
 * permissions.
 */
export function grantsOf(call: Call): Grants {
  if (call.principal.kind !== 'client') return { permissions: [everyPermission], consumerRequired: false };
  const { permissions = [], settings, stores } = call;
  return { permissions, stores, consumerRequired: settings?.consumer_required === true };
}

/** The error for a caller with `consumer_required` that would gain or grant access without it. */
export function mustNameConsumer(): ServiceError {
  const description = 'permission denied: a client with consumer_required cannot grant access without it';
  return new ServiceError(notGranted, { description });
}

/** @throws ServiceError 403 with the permissions that the caller does not hold */
export function checkGranted(
  grants: Grants,
  wanted: readonly string[],
  definition: ErrorDefinition = notGranted,
): void {
  const missing = wanted.filter((permission) => !holdsPermission(grants.permissions, permission));
  if (missing.length === 0) return;
  const description = `${definition.description}: ${missing.join(', ')}`;
  throw new ServiceError(definition, { description });
}
