import type { findGiftReceipt as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { givenReceipt } from '../domain/gift';
import type { Dependencies } from './dependencies';

/** Returns what the recipient of a gift may see. */
export function findGiftReceipt({ gifts }: Pick<Dependencies, 'gifts'>): Handler<typeof contract> {
  return async ({ body: { receipt_id: receiptId, version } }, call) => {
    const { receipt, gift } = await gifts.find({ receiptId, version }, {}, call);
    return { body: givenReceipt(receipt, gift) };
  };
}
