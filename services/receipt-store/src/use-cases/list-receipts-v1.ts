import type { listReceiptsV1 as contract } from '@receipts/contracts';
import { invalidParameter, ServiceError, type Handler } from '@receipts/kernel';
import { openView, type ReceiptPagesParts } from './receipt-pages';

/** The older list: an array, newest first, paged by ids. */
export function listReceiptsV1(parts: ReceiptPagesParts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { newer, older } = query;
    if (newer !== undefined && older !== undefined) {
      throw new ServiceError(invalidParameter, { description: 'newer and older exclude one another' });
    }
    const view = await openView(parts, query, call);
    const { receipts } =
      newer === undefined
        ? await view.olderThan(older === undefined ? view.end + 1 : await view.placeOf(older))
        : await view.newerThan(await view.placeOf(newer));
    return { body: Buffer.from(`[${receipts.map(({ text }) => text).join(',')}]`) };
  };
}
