import type { addConvertedReceipts as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import type { StoreReceipts } from './store-receipts';

/** Stores the receipts of a converted packet. The ids were allotted before, so a repetition meets what it has written. */
export function addConvertedReceipts(receipts: StoreReceipts): Handler<typeof contract> {
  return async ({ body }, call) => {
    const { pos_data_id: packet } = body;
    const stored = await receipts.store(
      body.receipts.map(({ id, receipt }) => ({
        id,
        posted: receipt,
        posDataIds: [packet],
        origin: `packet:${packet}|${id}`,
        call,
      })),
    );
    const results = stored.map((outcome) =>
      outcome instanceof ServiceError ? { error: outcome.toWire() } : { id: outcome.id },
    );
    return { body: { results } };
  };
}
