import {
  ingestContracts,
  processingPending,
  receiptNotFound,
  type getReceipt as contract,
} from '@receipts/contracts';
import { ServiceError, type Call, type Handler, type IdAllotter } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { innerCall } from '../domain/inner-call';
import { visibleConsumers } from '../domain/visible-consumers';
import type { FoundReceipt, Receipts } from '../storage/receipts';

export interface GetReceiptParts {
  readonly receipts: Receipts;
  readonly ids: IdAllotter;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** Gives one receipt. One that was promised and has not come yet is pending. */
export function getReceipt({ receipts, ids, ask, now }: GetReceiptParts): Handler<typeof contract> {
  /** What became of a raw receipt: throws while it is on its way. */
  async function convertedReceipt(id: string, call: Call): Promise<FoundReceipt | undefined> {
    const { findPacketState } = ingestContracts;
    const answer = await ask(findPacketState, { body: { receipt_id: id } }, innerCall(call, now().getTime()));
    const { state } = answer.body;
    if (state === 'failed') return undefined;
    if (state !== 'converted') throw new ServiceError(processingPending);
    // It was converted between our look and the question.
    return receipts.find(call.retailer, id, call);
  }

  return async ({ params, query }, call) => {
    const { id } = params;
    const consumers = visibleConsumers(call.consumers, query.consumer);
    let found = await receipts.find(call.retailer, id, call);
    // Nobody knows yet whose receipt a pending one is, so a caller who is confined to consumers hears nothing of it.
    if (!found && !consumers && ids.isAllotted(id, call.retailer)) found = await convertedReceipt(id, call);
    if (!found || (consumers && !consumers.includes(found.identifier ?? ''))) {
      throw new ServiceError(receiptNotFound);
    }
    return { body: Buffer.from(found.text), meta: { version: found.version } };
  };
}
