import { receiptNotFound, type voidReceipt as contract } from '@receipts/contracts';
import { ServiceError, timestampOf, type Handler } from '@receipts/kernel';
import { isVisible } from '../domain/visible-consumers';
import type { ReceiptChange, ReceiptChanges } from '../storage/receipt-changes';
import { voidedEvents } from '../storage/receipt-event';
import type { StoreDirectory } from '../storage/store-directory';
import type { FindRetailer } from './find-retailer';
import type { HasArrived } from './pending-receipt';
import { searchOfChanged } from './search-of-changed';

export interface VoidReceiptParts {
  readonly stores: StoreDirectory;
  readonly findRetailer: FindRetailer;
  readonly changes: ReceiptChanges;
  readonly hasArrived: HasArrived;
  readonly now: () => Date;
}

/** Voids a receipt. The first void counts: a voided receipt is returned unchanged. */
export function voidReceipt(parts: VoidReceiptParts): Handler<typeof contract> {
  const { changes, stores, findRetailer, hasArrived, now } = parts;
  return async ({ params: { id }, body }, call) => {
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide({ receipt }) {
        if (!isVisible(receipt, call.consumers)) throw new ServiceError(receiptNotFound);
        if (receipt.voided) return receipt;
        const voided = {
          timestamp: timestampOf(now()),
          reason: body?.reason ?? null,
          transaction_id: body?.transaction_id ?? null,
        };
        return { ...receipt, voided };
      },
      tell: (next) => voidedEvents(next, call, now()),
    };
    let saved = await changes.change(id, change, call);
    // The consumer of a pending receipt is not known yet, so callers restricted to consumers get 404.
    if (!saved && !call.consumers && (await hasArrived({ id }, call)))
      saved = await changes.change(id, change, call);
    if (!saved) throw new ServiceError(receiptNotFound);
    return { body: Buffer.from(saved.text), meta: { version: saved.version } };
  };
}
