import {
  consumerMismatch,
  receiptAlreadyAssigned,
  receiptDeletedError,
  receiptToAssignNotFound,
  type assignReceipt as contract,
} from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { isVisible } from '../domain/visible-receipts';
import type { ReceiptChange } from '../storage/receipt-changes';
import { assignedEvent, eventsOfChange } from '../storage/receipt-event';
import { searchOfChanged } from './search-of-changed';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** The receipt is named in the body, so a deleted receipt makes the body invalid (422) instead of causing 410. */
function asNotFound(error: unknown): undefined {
  const codes = [receiptDeletedError.code, receiptToAssignNotFound.code];
  if (error instanceof ServiceError && codes.includes(error.code ?? '')) return undefined;
  throw error;
}

/**
 * Assigns a receipt to a consumer. A credential restricted to consumers may assign a receipt that it cannot read yet,
 * because the receipt has no consumer yet.
 */
export function assignReceipt(deps: Dependencies): Handler<typeof contract> {
  const { changes, stores, findRetailer, hasArrived, now } = deps;
  return async ({ query, body }, call) => {
    const { identifier, ...name } = body;
    const { consumers, storeKeys } = visibleTo(deps, call, { consumers: query.consumer });
    if (consumers && !consumers.includes(identifier)) throw new ServiceError(consumerMismatch);

    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide({ receipt, store_key }) {
        if (!isVisible({ store_key }, { storeKeys })) throw new ServiceError(receiptToAssignNotFound);
        if (receipt.identifier === identifier) return receipt;
        if (receipt.identifier !== null) throw new ServiceError(receiptAlreadyAssigned);
        return { ...receipt, identifier };
      },
      tell: (next) => eventsOfChange(next, call, now(), assignedEvent),
    };
    const assign = async () => {
      const id = await changes.findId(name, call);
      return id === undefined ? undefined : changes.change(id, change, call).catch(asNotFound);
    };
    const { id, external_id } = name;
    const soughtBy = id !== undefined ? { id } : external_id !== undefined ? { external_id } : undefined;
    let saved = await assign();
    if (!saved && soughtBy && !call.stores && (await hasArrived(soughtBy, call))) saved = await assign();
    if (!saved) throw new ServiceError(receiptToAssignNotFound);

    const returned = call.settings?.assign_returns_receipt === true;
    return {
      body: returned ? Buffer.from(saved.text) : undefined,
      meta: { version: saved.version, returned },
    };
  };
}
