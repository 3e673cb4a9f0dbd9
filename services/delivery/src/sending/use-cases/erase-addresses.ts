import type { receiptStoreEvents } from '@receipts/contracts';
import { groupBy, pause } from '@receipts/concurrency';
import { ServiceError, unavailable, type EventOf } from '@receipts/kernel';
import { databaseTimeout, deadlineSignal, type KeptEvents } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { Deliveries } from '../storage/deliveries';
import type { DeliveryDocument } from '../storage/delivery-document';
import type { Recipients } from '../storage/recipients';
import type { ReceiptErasures } from '../storage/receipt-erasures';
import type { ReceiptViews } from '../../rendering/storage/receipt-views';

/** Events are usually published, and removed from their documents, within a few hundredths of a second. */
const pollMs = 20;
const pollsMax = 100;

/** What was erased: the consumer of the receipts, or the receipts themselves. */
type Erased = 'consumer' | 'receipt';

export interface AddressErasure {
  readonly deliveries: Pick<
    Deliveries,
    | 'eraseAddresses'
    | 'expedite'
    | 'forgetPerson'
    | 'hasUnpublishedEvents'
    | 'ofReceipts'
    | 'removeEnded'
    | 'toPerson'
  >;
  readonly receiptErasures: Pick<
    ReceiptErasures,
    'count' | 'deletionsHandled' | 'find' | 'withDeletionHandled'
  >;
  readonly recipients: Pick<Recipients, 'forget'>;
  readonly views: Pick<ReceiptViews, 'hasUnpublishedEvents' | 'remove'>;
  readonly proofs: {
    remove(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<void>;
  };
  readonly erasableEvents: {
    /** Erases the events about these subjects, and returns their ids. */
    forget(
      retailer: string,
      about: readonly string[],
      erased: Erased,
      signal: () => AbortSignal,
    ): Promise<readonly string[]>;
  };
  readonly webhookDeliveries: {
    /** Removes the receivers' responses to these events. */
    eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
  };
  /** Published events of deliveries and views contain addresses. */
  readonly keptEvents: Pick<KeptEvents, 'forget'>;
  readonly now: () => Date;
}

/**
 * Erases a consumer: removes their addresses from deliveries and from events, and receivers' responses to these events.
 * Requested after the receipts themselves were erased.
 * @throws ServiceError 503 while events with their addresses cannot be published; the request is then retried
 */
export function eraseAddresses(deps: AddressErasure): HandlerOf<'eraseAddresses'> {
  return async ({ body: { receipts, person } }, { retailer, deadline }) => {
    const { deliveries, recipients, receiptErasures, now } = deps;
    const signal = () => deadlineSignal({ deadline });
    await receiptErasures.count(retailer, receipts, { at: now(), isDeleted: false }, signal());
    const sent = await deliveries.ofReceipts(retailer, receipts, signal());
    const toPerson = person === undefined ? [] : await deliveries.toPerson(retailer, person, signal());
    await eraseDeliveries(deps, retailer, { sent: [...sent, ...toPerson], receipts }, signal);
    await recipients.forget(retailer, person === undefined ? [] : [person], signal());
    return {};
  };
}

/**
 * Removes everything about deleted receipts, except what `/verify` and unsubscribing need. Pending deliveries are left to
 * the worker, which ends them.
 */
export function onReceiptDeleted(deps: AddressErasure) {
  return async (events: readonly EventOf<typeof receiptStoreEvents.receiptDeleted>[]): Promise<void> => {
    for (const [retailer, deleted] of groupBy(events, (event) => event.retailer)) {
      const ids = deleted.map(({ subject }) => subject);
      await eraseDeleted(deps, retailer, ids);
    }
  };
}

/** Does the same for deleted receipts whose event may never have arrived. */
export async function catchUpDeleted(
  deps: AddressErasure,
  retailer: string,
  receipts: readonly string[],
): Promise<void> {
  const handled = await deps.receiptErasures.withDeletionHandled(retailer, receipts, databaseTimeout());
  const missed = receipts.filter((id) => !handled.has(id));
  if (missed.length > 0) await eraseDeleted(deps, retailer, missed);
}

async function eraseDeleted(
  deps: AddressErasure,
  retailer: string,
  receipts: readonly string[],
): Promise<void> {
  const { deliveries, receiptErasures, now } = deps;
  await receiptErasures.count(retailer, receipts, { at: now(), isDeleted: true }, databaseTimeout());
  await removeDeleted(deps, retailer, receipts, databaseTimeout);
  await deliveries.expedite(retailer, receipts, now(), databaseTimeout());
  // Last, so that an interrupted run is repeated when the service catches up.
  await receiptErasures.deletionsHandled(retailer, receipts, databaseTimeout());
}

async function removeDeleted(
  deps: AddressErasure,
  retailer: string,
  receipts: readonly string[],
  signal: () => AbortSignal,
): Promise<void> {
  const { deliveries, views, proofs } = deps;
  const sent = await deliveries.ofReceipts(retailer, receipts, signal());
  await eraseEvents(deps, retailer, { sent, receipts, erased: 'receipt' }, signal);
  await deliveries.removeEnded(retailer, receipts, signal());
  await views.remove(retailer, receipts, signal());
  await proofs.remove(retailer, receipts, signal());
}

type Added = Pick<DeliveryDocument, '_id' | 'retailer' | 'receiptId' | 'erasureCount' | 'person'>;

/**
 * The second check of new deliveries of a receipt. If the consumer was erased or the receipt was deleted after it was
 * read, the deliveries are erased as well.
 * @param signal limits one database call
 * @returns whether the deliveries were erased
 */
export async function eraseIfOutdated(
  deps: AddressErasure,
  added: readonly Added[],
  signal: () => AbortSignal,
): Promise<boolean> {
  const [first] = added;
  if (!first) return false;
  const { retailer, receiptId, erasureCount = 0 } = first;
  const { times, isDeleted } = await deps.receiptErasures.find(retailer, receiptId, signal());
  if (times === erasureCount) return false;
  if (isDeleted) await removeDeleted(deps, retailer, [receiptId], signal);
  else {
    await eraseDeliveries(deps, retailer, { sent: added, receipts: [receiptId] }, signal);
    const persons = added.flatMap(({ person }) => (person === undefined ? [] : [person]));
    await deps.recipients.forget(retailer, persons, signal());
  }
  return true;
}

interface Found {
  readonly sent: readonly Pick<DeliveryDocument, '_id' | 'receiptId'>[];
  readonly receipts: readonly string[];
}

/** Removes the addresses from deliveries, and the consumer from their events and those of the receipts. */
async function eraseDeliveries(
  deps: AddressErasure,
  retailer: string,
  found: Found,
  signal: () => AbortSignal,
): Promise<void> {
  const { deliveries, now } = deps;
  const ids = found.sent.map(({ _id }) => _id);
  await deliveries.eraseAddresses(retailer, ids, now(), signal());
  await eraseEvents(deps, retailer, { ...found, erased: 'consumer' }, signal);
  // Last, so that a retried erasure finds the deliveries again.
  if (ids.length > 0) await deliveries.forgetPerson(retailer, ids, signal());
}

/** Erases the published events of deliveries and receipts, their copies, and the responses to them. */
async function eraseEvents(
  deps: AddressErasure,
  retailer: string,
  { sent, receipts, erased }: Found & { readonly erased: Erased },
  signal: () => AbortSignal,
): Promise<void> {
  const subjects = [...receipts, ...sent.map(({ _id }) => _id)];
  if (subjects.length === 0) return;
  const ids = new Set([...receipts, ...sent.map(({ receiptId }) => receiptId)]);
  await waitUntilPublished(deps, retailer, [...ids], signal);
  await deps.keptEvents.forget(retailer, subjects, signal());
  const events = await deps.erasableEvents.forget(retailer, subjects, erased, signal);
  await deps.webhookDeliveries.eraseResponses(retailer, events, signal);
}

/** Waits, because an event that is being published now would otherwise be recorded after its removal. */
async function waitUntilPublished(
  { deliveries, views }: AddressErasure,
  retailer: string,
  receipts: readonly string[],
  signal: () => AbortSignal,
): Promise<void> {
  for (let check = 0; check < pollsMax; check++) {
    const hasUnpublishedEvents =
      (await deliveries.hasUnpublishedEvents(retailer, receipts, signal())) ||
      (await views.hasUnpublishedEvents(retailer, receipts, signal()));
    if (!hasUnpublishedEvents) return;
    await pause(pollMs);
  }
  throw new ServiceError(unavailable, { internal: 'events of the deliveries are not published yet' });
}
