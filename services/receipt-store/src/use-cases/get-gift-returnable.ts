import { giftNotFound, type getGiftReturnable as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { readGiftId } from '../domain/gift';
import { returnableOf } from './get-returnable';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** Returns the returnable items of a gift receipt. */
export function getGiftReturnable(deps: Dependencies): Handler<typeof contract> {
  return async ({ query: { gift_id: code, consumer } }, call) => {
    const name = readGiftId(code);
    if (!name) throw new ServiceError(giftNotFound);
    const visible = visibleTo(deps, call, { consumers: consumer });
    const { receipt, gift } = await deps.gifts.find(name, visible, call);
    const { items, ...sale } = await returnableOf(receipt, deps, call);
    const chosen = new Set(gift.items);
    return { body: { ...sale, items: items.filter(({ index }) => chosen.has(index)) } };
  };
}
