import {
  receiptCreated,
  type addReceiptNote as addContract,
  type getReceiptHistory as contract,
} from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { readableReceipt } from './get-receipt';
import type { Parts } from './parts';

/** Returns the changes of a receipt and its notes. */
export function getReceiptHistory(parts: Parts): Handler<typeof contract> {
  return async ({ params: { id } }, call) => {
    await readableReceipt(parts, id, undefined, call);
    const { created, published = [], notes = [] } = await parts.notes.history(call.retailer, id, call);
    const first = created ? [{ type: receiptCreated.type, at: created.at, by: created.by }] : [];
    const changes = [...first, ...published].map(({ type, at, by = null }) => ({
      ...{ type, by },
      timestamp: timestampOf(at),
    }));
    return {
      body: { changes, notes: notes.map(({ at, by, text }) => ({ timestamp: timestampOf(at), by, text })) },
    };
  };
}

/** Adds a note of staff to a receipt. */
export function addReceiptNote(parts: Parts): Handler<typeof addContract> {
  return async ({ params: { id }, body: { text } }, call) => {
    await readableReceipt(parts, id, undefined, call);
    await parts.notes.add(call.retailer, id, { at: parts.now(), by: call.principal.id, text }, call);
    return {};
  };
}
