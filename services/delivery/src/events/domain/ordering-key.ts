import { personHash } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';

/** The position of an event among those of its subject, for endpoints with ordered delivery. */
export interface OrderingKey {
  /** A stream contains the events of one subject, or the views of one receipt. Its events are ordered. */
  readonly stream: string;
  /** Later events of a stream have greater ranks. */
  readonly rank: string;
  /** A stream whose earlier events must be delivered before this event. */
  readonly behind?: string;
}

const personHashPattern = /^[0-9a-f]{64}$/;
const viewed = 'receipt.viewed';
const viewedStream = (stream: string) => `${stream}:viewed`;
const rankDigits = 12;

/**
 * Subjects are unique only within a collection: a client and a store may both be 1. Views of a receipt have their own
 * stream: they wait for earlier events of the receipt, but delay only later views.
 */
export function orderingKeyOf({
  id,
  type,
  subject,
  sequence,
}: Pick<EventRecord, 'id' | 'type' | 'subject' | 'sequence'>): OrderingKey {
  const collection = type.slice(0, type.indexOf('.'));
  // A webhook delivery stores its stream, and must not name a consumer.
  const isNamed = collection === 'identifier' && !personHashPattern.test(subject);
  const stream = `${collection}:${isNamed ? personHash(subject) : subject}`;
  // Events of one change have the same version, and their ids are in the order in which they were created.
  const rank = sequence.toString(16).padStart(rankDigits, '0') + id;
  return type === viewed ? { stream: viewedStream(stream), rank, behind: stream } : { stream, rank };
}

/** The streams in which deliveries may wait for this event. */
export function streamsAfter({ stream, behind }: OrderingKey): readonly string[] {
  return behind === undefined ? [stream, viewedStream(stream)] : [stream];
}
