import type { EventContract } from '@receipts/kernel';
import { adminEvents } from '../admin';
import * as deliveryEvents from '../delivery/events/delivery-events';
import { receiptViewed } from '../delivery/events/view-events';
import { identifierEvents } from '../identifier';
import { ingestEvents } from '../ingest';
import { receiptStoreEvents } from '../receipt-store';
import { webhookEvents } from './events';

const groups: readonly Readonly<Record<string, EventContract>>[] = [
  receiptStoreEvents,
  { receiptViewed },
  ingestEvents,
  deliveryEvents,
  identifierEvents,
  adminEvents,
  webhookEvents,
];

/** All events that integrators can receive, in the order of the API description. */
export const integratorEvents: readonly EventContract[] = groups
  .flatMap((group) => Object.values(group))
  .filter(({ audience }) => audience !== 'internal');

const types: readonly string[] = integratorEvents.map(({ type }) => type);

/** The characters of event types and `*`, which stands for any sequence of characters, including dots. */
const globPattern = /^[a-z0-9_.*]{1,100}$/;

/** True if a glob such as `receipt.*` matches a type. The cost is proportional to both lengths. */
export function globMatches(glob: string, type: string): boolean {
  const parts = glob.split('*');
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return glob === type;
  const last = rest.pop() as string;
  if (!type.startsWith(first) || type.length < first.length + last.length || !type.endsWith(last))
    return false;
  let at = first.length;
  const end = type.length - last.length;
  for (const part of rest) {
    const found = type.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** True if a glob matches at least one existing event type. */
export function isKnownEventGlob(glob: string): boolean {
  return globPattern.test(glob) && types.some((type) => globMatches(glob, type));
}
