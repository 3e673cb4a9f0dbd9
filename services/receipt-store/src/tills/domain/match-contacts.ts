import { groupBy } from '@receipts/concurrency';
import type { TillContact } from '@receipts/contracts';
import type { Till } from '../../totals/domain/till';

const keyOf = (store: string | null, till: string | null) => JSON.stringify([store, till]);

export interface MatchedContacts<T extends Till> {
  /** The contacts of each till. */
  readonly of: ReadonlyMap<T, readonly TillContact[]>;
  /** Those of tills without receipts. */
  readonly others: readonly TillContact[];
}

/**
 * Finds out which tills the metadata of packets means. A contact without a store belongs to the till with its id,
 * if only one store has such a till.
 * @param tills all tills of the retailer: among some of them, the id of a till in several stores could seem unique
 */
export function matchContacts<T extends Till>(
  tills: readonly T[],
  contacts: readonly TillContact[],
): MatchedContacts<T> {
  const byName = new Map(tills.map((till) => [keyOf(till.store, till.till), till]));
  const byId = groupBy(tills, ({ till }) => till);
  const of = new Map<T, TillContact[]>(tills.map((till) => [till, []]));
  const others: TillContact[] = [];
  for (const contact of contacts) {
    const { store_reference: store, till_uuid: id } = contact;
    const [only, another] = store === null ? (byId.get(id) ?? []) : [];
    const till = another ? undefined : (only ?? byName.get(keyOf(store, id)));
    if (till) of.get(till)?.push(contact);
    else others.push(contact);
  }
  return { of, others };
}

/**
 * When a till was last heard of.
 * @param receivedAt when its last receipt arrived; undefined if there is none
 */
export function lastReceivedOf(receivedAt: Date | undefined, contacts: readonly TillContact[]): Date {
  const times = contacts.map(({ last_received: at }) => Date.parse(at));
  return new Date(Math.max(...(receivedAt ? [receivedAt.getTime()] : []), ...times));
}
