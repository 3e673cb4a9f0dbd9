import { personHash } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';

const personHashPattern = /^[0-9a-f]{64}$/;
const viewed = 'receipt.viewed';
const viewsPrefix = 'views/';

/**
 * The events of a stream are ordered: those of one subject, or the views of one receipt. Subjects are unique only within
 * a collection: a client and a store may both be 1.
 */
export function streamOf({ type, subject }: Pick<EventRecord, 'type' | 'subject'>): string {
  const collection = type.slice(0, type.indexOf('.'));
  // A webhook delivery stores its stream, and must not name a consumer.
  const isNamed = collection === 'identifier' && !personHashPattern.test(subject);
  const stream = `${collection}:${isNamed ? personHash(subject) : subject}`;
  return type === viewed ? viewsPrefix + stream : stream;
}

const rankDigits = 12;

/**
 * Later events of a stream have greater ranks; those of one change are in the order in which they were created. The
 * numbers of the log differ: if several processes handle the events of a change, one of them may be logged after an event
 * of the next change.
 */
export const rankOf = ({ id, sequence }: Pick<EventRecord, 'id' | 'sequence'>): string =>
  sequence.toString(16).padStart(rankDigits, '0') + id;

const isOfViews = (stream: string) => stream.startsWith(viewsPrefix);

/** The other stream whose earlier events must be delivered before those of this stream: views wait for their receipt. */
export const streamBefore = (stream: string): string | undefined =>
  isOfViews(stream) ? stream.slice(viewsPrefix.length) : undefined;

/** The streams in which deliveries may wait for an event of this stream. */
export const streamsAfter = (stream: string): readonly string[] =>
  isOfViews(stream) ? [stream] : [stream, viewsPrefix + stream];
