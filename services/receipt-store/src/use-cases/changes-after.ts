import { unknownCursor } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { cursorOverlapMs } from '@receipts/storage';
import type { ChangePosition } from '../domain/change-cursor';
import type { ChangedReceipts, Wanted } from '../storage/changed-receipts';
import type { Receipts } from '../storage/receipts';

export interface ChangesPage<C> {
  readonly changes: readonly C[];
  readonly next: ChangePosition;
  /** True if there are more pages. */
  readonly more: boolean;
}

export interface PageOfChanges {
  readonly changed: ChangedReceipts;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Receipts that arrived or changed after this time are left to a later page; epoch milliseconds. */
  readonly until?: number;
}

const notAfter =
  (until: number) =>
  ({ created, changed_at: changedAt }: { created?: { at: Date }; changed_at?: Date }) =>
    (changedAt ?? created?.at ?? new Date(0)).getTime() <= until;

/**
 * The elements before the first that does not match. The rest is left to a later page, so that no receipt is skipped.
 */
function whileHolds<T>(all: readonly T[], holds: (one: T) => boolean): readonly T[] {
  const end = all.findIndex((one) => !holds(one));
  return end === -1 ? all : all.slice(0, end);
}

/**
 * The receipts of a retailer after a position: first new receipts in order of arrival, then changed receipts by time.
 * @throws ServiceError 400 `unknown_cursor` for a position beyond the newest receipt: the receipts up to it were lost
 */
export async function changesAfter<W extends keyof Wanted>(
  wanted: W,
  begin: ChangePosition,
  { changed, receipts, count, now, until = Infinity }: PageOfChanges,
  call: Call,
): Promise<ChangesPage<Wanted[W]>> {
  const { retailer } = call;
  const found = await changed.arrivedAfter(wanted, retailer, begin.arrival, count + 1, call);
  if (
    found.length === 0 &&
    begin.arrival > 0 &&
    begin.arrival > (await receipts.lastNumber(retailer, call))
  ) {
    throw new ServiceError(unknownCursor);
  }
  const arrived = whileHolds(found, ({ created }) => (created?.at.getTime() ?? 0) <= until);
  const changes = arrived.slice(0, count);
  const arrival = changes.at(-1)?.arrival ?? begin.arrival;
  if (arrived.length >= count) return { changes, next: { ...begin, arrival }, more: true };
  const room = count - changes.length;
  const changedSince = await changed.changedAfter(wanted, retailer, begin, room + 1, call);
  const later = whileHolds(changedSince, notAfter(until));
  const taken = later.slice(0, room);
  changes.push(...taken);
  const last = taken.at(-1);
  if (later.length <= room) {
    return { changes, next: { arrival, at: Math.max(begin.at, now - cursorOverlapMs), id: '' }, more: false };
  }
  const at = last?.changed_at?.getTime() ?? begin.at;
  return { changes, next: { arrival, at, id: last?._id ?? begin.id }, more: true };
}
