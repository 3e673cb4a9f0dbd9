import { groupBy } from '@receipts/concurrency';
import { serviceCall, ServiceError, type Call, type Log } from '@receipts/kernel';
import { awaitedTransactions, withIds } from '../domain/related';
import type { Linkable, LinkRelated } from '../storage/arrivals';
import type { ReceiptChange, ReceiptChanges } from '../storage/receipt-changes';
import { updatedEvent, eventsOfChange } from '../storage/receipt-event';
import type { RelatedReceipts } from '../storage/related-receipts';
import type { FindRetailer, StoreDirectory } from '../storage/directories';
import { searchOfChanged } from './search-of-changed';

export interface LinkRelatedDependencies {
  readonly related: Pick<RelatedReceipts, 'idsOf' | 'waitingFor'>;
  readonly changes: ReceiptChanges;
  readonly stores: StoreDirectory;
  readonly findRetailer: FindRetailer;
  readonly log: Log;
  readonly now: () => Date;
}

const changesAtOnce = 8;

/** The id and the current version of a receipt. */
type Linked = readonly [id: string, version: number];

/** Later attempts may succeed, unlike those for a receipt that was deleted or would become too large. */
const isTemporary = (error: unknown) =>
  !(error instanceof ServiceError) || error.status >= 500 || error.status === 409;

/**
 * Fills in the ids of related receipts that were stored after, or at the same time as, the receipts that refer to them;
 * those that were stored before are known when a receipt is built. Of two receipts, the one that arrived later finds the
 * other, because each receipt is linked after it is stored. If a retailer has no waiting receipts, as is usual, nothing is
 * read.
 */
export function linkRelated({
  related,
  changes,
  stores,
  findRetailer,
  log,
  now,
}: LinkRelatedDependencies): LinkRelated {
  const complete = async (id: string, change: ReceiptChange, call: Call) => {
    try {
      return await changes.change(id, change, call);
    } catch (error) {
      if (isTemporary(error)) throw error;
      log.info('a related receipt cannot be linked', { receipt: id, error });
      return undefined;
    }
  };

  const link = async (
    retailer: string,
    arrived: readonly Linkable[],
    deadline: number,
  ): Promise<readonly Linked[]> => {
    const call = { ...serviceCall('receipt-store', now().getTime(), retailer), deadline };
    const ids = new Map(arrived.map(({ _id, transaction_id }) => [transaction_id, _id]));
    const awaited = arrived.flatMap(({ related: keys }) => awaitedTransactions(keys));
    const [known, waiting] = await Promise.all([
      related.idsOf(retailer, awaited, call),
      related.waitingFor(retailer, [...ids.keys()], call),
    ]);
    for (const [transactionId, id] of known) ids.set(transactionId, id);
    const late = arrived.filter(({ related: keys }) => awaitedTransactions(keys).some((one) => ids.has(one)));
    const incomplete = [...new Set([...waiting, ...late.map(({ _id }) => _id)])];
    if (incomplete.length === 0) return [];
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide: ({ receipt }) => ({ ...receipt, related: withIds(receipt.related, ids) }),
      tell: (next) => eventsOfChange(next, call, now(), updatedEvent),
    };
    const linked: Linked[] = [];
    for (let from = 0; from < incomplete.length; from += changesAtOnce) {
      const some = incomplete.slice(from, from + changesAtOnce);
      const states = await Promise.all(some.map((id) => complete(id, change, call)));
      for (const state of states) if (state) linked.push([state.receipt.id, state.version]);
    }
    return linked;
  };

  return async (arrived, { deadline }) => {
    const groups = groupBy(arrived, ({ retailer, may_be_awaited: isMarked }) =>
      isMarked ? retailer : undefined,
    );
    const linked = await Promise.all([...groups].map(([retailer, group]) => link(retailer, group, deadline)));
    return new Map(linked.flat());
  };
}
