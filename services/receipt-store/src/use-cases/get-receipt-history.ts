import {
  receiptCreated,
  type addReceiptNote as addContract,
  type getReceiptHistory as contract,
} from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { readableReceipt } from './get-receipt';
import type { Dependencies } from './dependencies';

/** Returns the changes of a receipt and its notes. */
export function getReceiptHistory(deps: Dependencies): Handler<typeof contract> {
  return async ({ params: { id } }, call) => {
    await readableReceipt(deps, id, undefined, call);
    const { created, published = [], notes = [] } = await deps.notes.history(call.retailer, id, call);
    const first = created ? [{ type: receiptCreated.type, at: created.at, by: created.by }] : [];
    const changes = [...first, ...published].map(({ type, at, by = null }) => ({
      type,
      by,
      timestamp: timestampOf(at),
    }));
    return {
      body: { changes, notes: notes.map(({ at, by, text }) => ({ timestamp: timestampOf(at), by, text })) },
    };
  };
}

/** Adds a note of staff to a receipt. */
export function addReceiptNote(deps: Dependencies): Handler<typeof addContract> {
  return async ({ params: { id }, body: { text } }, call) => {
    await readableReceipt(deps, id, undefined, call);
    const note = { cause: call.id, at: deps.now(), by: call.principal.id, text };
    await deps.notes.add(call.retailer, id, note, call);
    return {};
  };
}
