import { linksTo, receiptNotFound, type createGiftReceipt as contract } from '@receipts/contracts';
import { isConfined, ServiceError, type Handler } from '@receipts/kernel';
import { giftId } from '../domain/gift';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** Creates a gift receipt, and returns its links. */
export function createGiftReceipt(deps: Dependencies): Handler<typeof contract> {
  const { gifts, giftTokens, hasArrived, publicUrl } = deps;
  return async ({ params: { id }, body }, call) => {
    const request = { gift: body ?? {}, visible: visibleTo(deps, call) };
    let gift = await gifts.add(id, request, call);
    // The consumer and the store of a pending receipt are not known yet, so restricted callers get 404.
    if (!gift && !isConfined(call) && (await hasArrived({ id }, call))) {
      gift = await gifts.add(id, request, call);
    }
    if (!gift) throw new ServiceError(receiptNotFound);
    const { version } = gift;
    const token = giftTokens.seal({ retailer: call.retailer, receiptId: id, generation: version });
    return {
      body: { gift_id: giftId({ receiptId: id, version }), ...linksTo(publicUrl, token, 'gift') },
    };
  };
}
