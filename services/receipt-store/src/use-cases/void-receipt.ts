import { receiptNotFound, type voidReceipt as contract } from '@receipts/contracts';
import { ServiceError, timestampOf, type Handler } from '@receipts/kernel';
import { isVisible } from '../domain/visible-receipts';
import type { ReceiptChange } from '../storage/receipt-changes';
import { voidedEvent, eventsOfChange } from '../storage/receipt-event';
import { changeReceipt } from './change-receipt';
import { searchOfChanged } from './search-of-changed';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** Voids a receipt. The first void counts: a voided receipt is returned unchanged. */
export function voidReceipt(deps: Dependencies): Handler<typeof contract> {
  const { stores, findRetailer, now } = deps;
  return async ({ params: { id }, body }, call) => {
    const visible = visibleTo(deps, call);
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide({ receipt, store_key }) {
        if (!isVisible({ ...receipt, store_key }, visible)) throw new ServiceError(receiptNotFound);
        if (receipt.voided) return receipt;
        const voided = {
          timestamp: timestampOf(now()),
          reason: body?.reason ?? null,
          transaction_id: body?.transaction_id ?? null,
        };
        return { ...receipt, voided };
      },
      tell: (next) => eventsOfChange(next, call, now(), voidedEvent),
    };
    const saved = await changeReceipt(deps, id, change, call);
    return { body: Buffer.from(saved.text), meta: { version: saved.version } };
  };
}
