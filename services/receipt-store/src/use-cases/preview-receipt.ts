import { type previewReceipt as contract, storeNamed } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { buildReceipt } from '../domain/build-receipt';
import { parsedChecks } from '../domain/checks';
import { namesOf } from '../storage/directories';
import type { Dependencies } from './dependencies';

const noId = '0'.repeat(24);

/** Builds a receipt as usual, without storing it. */
export function previewReceipt({ stores, findRetailer }: Dependencies): Handler<typeof contract> {
  return async ({ body: { receipt: posted } }, call) => {
    const retailer = await findRetailer(call);
    const receipt = buildReceipt(posted, {
      id: noId,
      transactionId: posted.transaction_id,
      retailer,
      posDataIds: [],
      attachments: {},
      store: storeNamed(posted.store_reference, namesOf(stores, call.retailer)),
    });
    return { body: { receipt, checks: parsedChecks(receipt) } };
  };
}
