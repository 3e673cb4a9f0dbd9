import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { IndexDeclaration } from './collection';

/** Work that belongs to a retailer and is due at some time. */
export interface Due {
  readonly retailer: string;
  readonly dueAt?: Date;
}

/** Which retailer is next in a process: the one after the last, by id, and then the first again. */
export interface ClaimOrder {
  /** The retailer of the last claim; empty at first. */
  readonly after: string;
  /** Retailers at their limit of work in progress. */
  readonly except: readonly string[];
}

/** The index of a collection of due work for {@link claimRoundRobin}. */
export const dueRoundRobinIndex: IndexDeclaration = {
  name: 'due_round_robin',
  key: { retailer: 1, dueAt: 1 },
  partial: { dueAt: { $exists: true } },
};

type Range = { readonly $gt: string; readonly $lt?: string; readonly $lte?: string };

/**
 * The retailers in this order, as ranges of ids: a search with `$nin` would read all work of the excluded retailers.
 */
function rangesOf({ after, except }: ClaimOrder): Range[] {
  const leftOut = [...except].sort();
  const cut = ($gt: string, end: Partial<Range>, stops: string[]): Range[] => {
    const [$lt, ...rest] = stops;
    return $lt === undefined ? [{ $gt, ...end }] : [{ $gt, $lt }, ...cut($lt, end, rest)];
  };
  const later = leftOut.filter((id) => id > after);
  const earlier = leftOut.filter((id) => id <= after);
  return [...cut(after, {}, later), ...(after === '' ? [] : cut('', { $lte: after }, earlier))];
}

/**
 * Claims the oldest due piece of the next retailer that has one.
 * @returns the claimed document; null if nothing is due
 */
export async function claimRoundRobin<T extends Due>(
  collection: Collection<T>,
  order: ClaimOrder,
  {
    now,
    update,
    signal,
  }: { readonly now: Date; readonly update: UpdateFilter<T>; readonly signal: AbortSignal },
): Promise<WithId<T> | null> {
  for (const retailer of rangesOf(order)) {
    const claimed = await collection.findOneAndUpdate(
      { retailer, dueAt: { $lte: now } } as Filter<T>,
      update,
      {
        sort: { retailer: 1, dueAt: 1 },
        hint: dueRoundRobinIndex.key,
        returnDocument: 'after',
        signal,
      },
    );
    if (claimed) return claimed;
  }
  return null;
}
