import * as contracts from '@receipts/contracts';
import type { Contracts } from './http/routes';
import type { Events } from './openapi/events';

/** The contracts of all owners. The gateway does not depend on anything else from them. */
export const platformContracts = [
  contracts.receiptStoreContracts,
  contracts.ingestContracts,
  contracts.deliveryContracts,
  contracts.identifierContracts,
  contracts.adminContracts,
  contracts.transformContracts,
] as unknown as readonly Contracts[];

export const platformEvents = [
  contracts.receiptStoreEvents,
  contracts.ingestEvents,
  contracts.deliveryEvents,
  contracts.identifierEvents,
  contracts.adminEvents,
  contracts.transformEvents,
] as unknown as readonly Events[];
