import type { EventRecord } from '@receipts/kernel';

/** Where an event stands among those of its subject, for endpoints that want these one after the other. */
export interface Place {
  /** What is numbered together: the events of one subject. */
  readonly stream: string;
  /** Later events of a stream are greater. */
  readonly rank: string;
  /** A stream that must have been delivered as far as it was when this event came. */
  readonly behind?: string;
}

const viewed = 'receipt.viewed';
const viewedStream = (stream: string) => `${stream}:viewed`;
const rankDigits = 12;

/**
 * Subjects are unique within an area: a client and a store can both be called 1. Views of a receipt have a count of their
 * own: they follow what happened to the receipt before them, and hold up nothing but later views.
 */
export function placeOf({
  id,
  type,
  subject,
  sequence,
}: Pick<EventRecord, 'id' | 'type' | 'subject' | 'sequence'>): Place {
  const stream = `${type.slice(0, type.indexOf('.'))}:${subject}`;
  // What one change says are events of one version, with ids in the order in which they were said.
  const rank = rankOfChange(sequence) + id;
  return type === viewed ? { stream: viewedStream(stream), rank, behind: stream } : { stream, rank };
}

const rankOfChange = (sequence: number) => sequence.toString(16).padStart(rankDigits, '0');

/** The change of its subject that an event tells, and the one before: several events can tell of one. */
export const changeOf = ({ rank }: Place): string => rank.slice(0, rankDigits);
export const changeBefore = ({ sequence }: Pick<EventRecord, 'sequence'>): string =>
  rankOfChange(sequence - 1);

/** The streams in which something may have waited for an event of this place. */
export function streamsAfter({ stream, behind }: Place): readonly string[] {
  return behind === undefined ? [stream, viewedStream(stream)] : [stream];
}
