import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Portal } from '../open-portal';

/** Deletes the saved searches that name a consumer who is being erased. */
export function eraseSearches({ searches }: Pick<Portal, 'searches'>): HandlerOf<'eraseSearches'> {
  return async ({ body: { texts } }, call) => {
    await searches.forget(call.retailer, texts, deadlineSignal(call));
    return {};
  };
}
