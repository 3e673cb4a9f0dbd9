import {
  adminContracts,
  adminEvents,
  deliveryContracts,
  deliveryEvents,
  identifierContracts,
  identifierEvents,
  ingestContracts,
  ingestEvents,
  receiptStoreContracts,
  receiptStoreEvents,
} from '@receipts/contracts';
import type { EventContract } from '@receipts/kernel';

interface EventOwner {
  readonly events: Readonly<Record<string, EventContract>>;
  /** Lists the events that the owner has published. */
  readonly list: typeof deliveryContracts.listPublishedEvents;
  /** Returns published events, with their original ids. */
  readonly find: typeof deliveryContracts.findPublishedEvents;
}

/** The services that publish events, by name. */
export const eventOwners: Readonly<Record<string, EventOwner>> = {
  'receipt-store': {
    events: receiptStoreEvents,
    list: receiptStoreContracts.listPublishedEvents,
    find: receiptStoreContracts.findPublishedEvents,
  },
  ingest: {
    events: ingestEvents,
    list: ingestContracts.listPublishedEvents,
    find: ingestContracts.findPublishedEvents,
  },
  identifier: {
    events: identifierEvents,
    list: identifierContracts.listPublishedEvents,
    find: identifierContracts.findPublishedEvents,
  },
  admin: {
    events: adminEvents,
    list: adminContracts.listPublishedEvents,
    find: adminContracts.findPublishedEvents,
  },
  delivery: {
    events: deliveryEvents,
    list: deliveryContracts.listPublishedEvents,
    find: deliveryContracts.findPublishedEvents,
  },
};

/** @throws Error if no service publishes events of this type */
export function ownerOfEvent(type: string): EventOwner {
  const owner = Object.values(eventOwners).find(({ events }) =>
    Object.values(events).some((event) => event.type === type),
  );
  if (!owner) throw new Error(`no service publishes events of the type ${type}`);
  return owner;
}
