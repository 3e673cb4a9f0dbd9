import * as contracts from '@receipts/contracts';
import type { Contracts } from './http/routes';
import type { Events } from './openapi/events';

/** The API: the contracts of all owners. The gateway depends on nothing else from them, except for their pages. */
export const platformContracts = [
  contracts.receiptStoreContracts,
  contracts.ingestContracts,
  contracts.deliveryContracts,
  contracts.identifierContracts,
  contracts.adminContracts,
  contracts.transformContracts,
] as unknown as readonly Contracts[];

/** The pages for browsers, which the description of the API does not contain. */
export const platformPages = [contracts.adminPages] as unknown as readonly Contracts[];

export const platformEvents = [
  contracts.receiptStoreEvents,
  contracts.ingestEvents,
  contracts.deliveryEvents,
  contracts.identifierEvents,
  contracts.adminEvents,
  contracts.transformEvents,
] as unknown as readonly Events[];
