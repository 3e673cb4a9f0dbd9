import { brokerManagementMissing } from '@receipts/contracts';
import { ServiceError, timestampOf } from '@receipts/kernel';
import type { IntegratorAccess } from '../../broker/integrator-access';
import type { Registry } from '../open-registry';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';

/** @throws ServiceError 501 if the broker's management interface is not configured */
export function requiredAccess({ access }: Registry): IntegratorAccess {
  if (access) return access;
  throw new ServiceError(brokerManagementMissing);
}

/** A subscription as returned to the operator. */
export function subscriptionView(access: IntegratorAccess, record: SubscriptionRecord) {
  const { retailer, name, types, status, created } = record;
  return {
    name,
    types: [...types],
    routing_keys: routingKeysOf(types),
    ...access.namesOf(retailer, name),
    url: access.url,
    status,
    created_timestamp: timestampOf(created),
  };
}
