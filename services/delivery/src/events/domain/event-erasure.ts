import { metadataWithoutPerson, personHash, type PacketMetadata } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';

/**
 * What is erased from events: the consumer of a receipt, which leaves its figures, or everything that a deleted receipt
 * contained, which leaves the facts that all events of receipts have.
 */
export type Erased = 'consumer' | 'receipt';

type Members = Readonly<Record<string, unknown>>;

interface Data extends Members {
  readonly identifier?: unknown;
  readonly metadata?: { readonly identifier?: unknown };
  readonly receipt?: { readonly attachments?: Readonly<Record<string, { readonly id: string }>> };
  readonly receipt_id?: unknown;
  readonly receipt_ids?: readonly string[];
}

const removed = '***';
/** Free-form objects: the caller chooses their members. */
const freeObjects: ReadonlySet<string> = new Set(['properties', 'dynamic', 'attachments']);
/** The objects in a receipt that describe the shop, not the sale. */
const shopObjects: ReadonlySet<string> = new Set(['store', 'retailer', 'l10n']);
const reason = 'reason';

const dataOf = ({ data }: Pick<EventRecord, 'data'>) => (data ?? {}) as Data;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isReceiptEvent = ({ type }: Pick<EventRecord, 'type'>) => type.startsWith('receipt.');

/** Whether an event is about a packet. */
export const isOfPacket = (type: string) => type.startsWith('pos_receipt.');

function consumerIn({ identifier, metadata }: Data): string | undefined {
  const named = identifier ?? metadata?.identifier;
  return typeof named === 'string' ? named : undefined;
}

/** The receipts that an event of another subject is about: those of a packet or a delivery. */
export function receiptsOf(event: Pick<EventRecord, 'data'>): readonly string[] {
  const { receipt_id: id, receipt_ids: ids = [] } = dataOf(event);
  return typeof id === 'string' ? [...new Set([id, ...ids])] : [];
}

/** The ids of the attachments of the receipt in an event. */
export const attachmentsOf = (event: Pick<EventRecord, 'data'>): readonly string[] =>
  Object.values(dataOf(event).receipt?.attachments ?? {}).map(({ id }) => id);

/** The key of the events whose receipt has an attachment. */
export const attachmentKey = (id: string) => `attachment/${id}`;

/**
 * The keys by which events are found for erasure: the subject, the hash of the consumer's identifier, the receipts that
 * they are about, and the attachments of their receipt.
 */
export function aboutOf(event: Pick<EventRecord, 'data' | 'subject'>): readonly string[] {
  const consumer = consumerIn(dataOf(event));
  return [
    event.subject,
    ...(consumer === undefined ? [] : [personHash(consumer)]),
    ...receiptsOf(event),
    ...attachmentsOf(event).map(attachmentKey),
  ];
}

/** Empties the free-form objects, and removes reasons in words. The shop's own data is kept. */
function withoutFreeText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFreeText);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (shopObjects.has(name)) return [name, member];
      if (freeObjects.has(name)) return [name, {}];
      return [name, name === reason ? null : withoutFreeText(member)];
    }),
  );
}

/** Keeps the single values of a receipt. The lists and objects that describe the sale become empty. */
function withoutContent(receipt: Members): Members {
  const kept = Object.entries(receipt).map(([name, member]) => {
    if (Array.isArray(member)) return [name, []];
    if (!isMembers(member) || shopObjects.has(name)) return [name, member];
    return [name, freeObjects.has(name) ? {} : null];
  });
  return Object.fromEntries(kept) as Members;
}

/** Without parameters, such as a file name. */
const mediaType = (contentType: unknown) =>
  typeof contentType === 'string' ? contentType.split(';', 1)[0] : contentType;

/** The members of the event's data that are replaced. */
function replacedIn({ type }: EventRecord, data: Data, erased: Erased): Members {
  const { receipt, metadata } = data;
  const consumer = consumerIn(data);
  const replaced = (names: Members) =>
    Object.fromEntries(Object.entries(names).filter(([name]) => name in data));
  if (isOfPacket(type)) {
    const kept = metadataWithoutPerson((metadata ?? {}) as PacketMetadata);
    return replaced({ metadata: kept, content_type: mediaType(data['content_type']), errors: [] });
  }
  if (type.startsWith('attachment.')) {
    return replaced({ filename: removed, content_type: mediaType(data['content_type']) });
  }
  if (type.startsWith('identifier.')) {
    return replaced({ identifier: consumer && personHash(consumer), properties: {} });
  }
  if (!isReceiptEvent({ type })) {
    return replaced({ identifier: consumer && personHash(consumer), address: removed });
  }
  const whole = receipt && (erased === 'receipt' ? withoutContent(receipt) : withoutFreeText(receipt));
  return replaced({
    identifier: null,
    receipt: isMembers(whole) ? { ...whole, identifier: null } : whole,
    voided: withoutFreeText(data['voided']),
  });
}

/** Returns the event without what was erased; everything else is kept. */
export function withoutErased(event: EventRecord, erased: Erased): EventRecord {
  const data = dataOf(event);
  const consumer = consumerIn(data);
  const isOfConsumer = event.type.startsWith('identifier.') && consumer !== undefined;
  return {
    ...event,
    ...(isOfConsumer && { subject: personHash(consumer) }),
    data: { ...data, ...replacedIn(event, data, erased) },
  };
}
