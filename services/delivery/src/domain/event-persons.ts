import { createHash } from 'node:crypto';
import type { EventRecord } from '@receipts/kernel';

/** What an identifier is called by where it must not be named: as in `identifier.erased`. */
export const hashOfPerson = (identifier: string): string =>
  createHash('sha256').update(identifier).digest('hex');

const dataOf = ({ data }: EventRecord) => (data ?? {}) as Readonly<Record<string, unknown>>;

/** By what an event is found when somebody is to be forgotten: its subject, and the hash of whom it names. */
export function aboutOf(event: EventRecord): readonly string[] {
  const { identifier } = dataOf(event);
  return typeof identifier === 'string' ? [event.subject, hashOfPerson(identifier)] : [event.subject];
}

/** The event without the person that it names, and with everything else that it says. */
export function withoutPerson(event: EventRecord): EventRecord {
  const data = dataOf(event);
  const { identifier, receipt, address } = data;
  const hash = typeof identifier === 'string' ? hashOfPerson(identifier) : null;
  const isOfPerson = event.type.startsWith('identifier.');
  return {
    ...event,
    ...(isOfPerson && hash !== null && { subject: hash }),
    data: {
      ...data,
      // A receipt can be nobody's; an identifier or a reward cannot.
      ...(hash !== null && { identifier: event.type.startsWith('receipt.') ? null : hash }),
      ...(isOfPerson && 'properties' in data && { properties: {} }),
      ...(typeof address === 'string' && { address: '***' }),
      ...(typeof receipt === 'object' &&
        receipt !== null && { receipt: { ...receipt, identifier: null, properties: {} } }),
    },
  };
}
