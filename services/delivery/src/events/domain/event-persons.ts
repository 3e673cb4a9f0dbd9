import { personHash } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';

const dataOf = ({ data }: EventRecord) => (data ?? {}) as Readonly<Record<string, unknown>>;

/** The keys by which a consumer's events are found for erasure: the subject, and the hash of the identifier. */
export function aboutOf(event: EventRecord): readonly string[] {
  const { identifier } = dataOf(event);
  return typeof identifier === 'string' ? [event.subject, personHash(identifier)] : [event.subject];
}

/** Returns the event without personal data; everything else is kept. */
export function withoutPerson(event: EventRecord): EventRecord {
  const data = dataOf(event);
  const { identifier, receipt, address } = data;
  const hash = typeof identifier === 'string' ? personHash(identifier) : null;
  const isOfPerson = event.type.startsWith('identifier.');
  return {
    ...event,
    ...(isOfPerson && hash !== null && { subject: hash }),
    data: {
      ...data,
      // A receipt does not need an identifier. Events about identifiers and rewards do, so they keep its hash.
      ...(hash !== null && { identifier: event.type.startsWith('receipt.') ? null : hash }),
      ...(isOfPerson && 'properties' in data && { properties: {} }),
      ...(typeof address === 'string' && { address: '***' }),
      ...(typeof receipt === 'object' &&
        receipt !== null && { receipt: { ...receipt, identifier: null, properties: {} } }),
    },
  };
}
