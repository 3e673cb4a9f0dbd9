import type { Collection } from 'mongodb';
import { receiptNotFound, type ReturnedReceipt } from '@receipts/contracts';
import { checkIfMatch } from '@receipts/json-patch';
import { isConfined, originOf, ServiceError, type Call } from '@receipts/kernel';
import {
  deadlineSignal,
  outboxItem,
  updateVersioned,
  type OutboxItem,
  type OutboxRelay,
} from '@receipts/storage';
import { saleOf } from '../totals/domain/sale';
import { isVisible, type Visible } from '../domain/visible-receipts';
import { historyAfter } from '../totals/domain/sale-changes';
import type { Arrivals } from './arrivals';
import { discardOf } from './discarded-raw-data';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';
import type { ChangeListener } from './change-listener';
import { deletedEvent } from './receipt-event';
import { publishedAfter } from './published-events';

const removedFields = {
  text: '',
  search: '',
  identifier: '',
  store_key: '',
  attachments: '',
  related: '',
  changed_by: '',
  created: '',
  erased: '',
  gifts: '',
  notes: '',
  sale: '',
} as const;

interface DeletionConditions {
  readonly ifMatch?: string | undefined;
  readonly visible?: Visible;
}

/** Deletes receipts. A placeholder keeps the position and the ids, so that they are not used again. */
export class ReceiptDeletion {
  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly arrivals: Pick<Arrivals, 'unpublishedEvents'>,
    private readonly relay: Pick<OutboxRelay<StoredReceipt>, 'enqueue'>,
    private readonly totals: ChangeListener,
    private readonly now: () => Date,
  ) {}

  /**
   * @param conditions the `If-Match` of the request, ignored for a receipt that is already deleted; and what the caller
   * may see, everything by default
   * @returns false if the retailer never had such a receipt
   * @throws ServiceError 404 if the caller may not see it; 409 `conflict`, 412, 503
   */
  async delete(id: string, { ifMatch, visible = {} }: DeletionConditions, call: Call): Promise<boolean> {
    const { retailer } = call;
    const outbox = await updateVersioned<StoredReceipt, readonly OutboxItem[]>({
      collection: this.collection,
      retailer,
      id,
      signal: () => deadlineSignal(call),
      decide: async (current) => {
        const isReceipt = 'text' in current;
        if (!isReceipt && !('deleted_at' in current)) throw new ServiceError(receiptNotFound);
        const isSeen = isReceipt ? isVisible(current, visible) : !isConfined(call);
        if (!isSeen) throw new ServiceError(receiptNotFound);
        if (!isReceipt) return { result: [] };
        checkIfMatch(ifMatch, current.version);
        const first = await this.arrivals.unpublishedEvents(current);
        const at = this.now();
        const { transaction_id, version } = current;
        const event = deletedEvent({ id, transaction_id, version: version + 1 }, originOf(call, at));
        const outbox = [...first, event].map(outboxItem);
        const published = publishedAfter([], [event], { version: version + 1 });
        const receipt = JSON.parse(current.text) as ReturnedReceipt;
        const history = historyOfDeleted(current, receipt);
        const $set = {
          ...discardOf({ ...current, receipt }, at),
          deleted_at: at,
          changed_at: at,
          published,
          ...(history && { sale_history: history }),
        };
        const update = { $set, $unset: removedFields };
        return { update, outbox, result: [...(current.outbox ?? []), ...outbox] };
      },
    });
    if (outbox && outbox.length > 0) this.relay.enqueue([{ _id: id, items: outbox }]);
    if (outbox) this.totals.noteChange(retailer);
    return outbox !== undefined;
  }
}

function historyOfDeleted(
  { store_key: storeKey, version, sale_history: history }: ReceiptDocument,
  receipt: ReturnedReceipt,
) {
  const before = saleOf(receipt, storeKey);
  return historyAfter(history, before, undefined, version + 1);
}
