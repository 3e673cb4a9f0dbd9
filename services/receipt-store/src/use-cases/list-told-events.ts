import type { receiptStoreContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { onTheWayMs } from '@receipts/storage';
import { printChangePlace, readChangePlace, type ChangePlace } from '../domain/change-cursor';
import type { ChangedReceipts } from '../storage/changed-receipts';
import type { Receipts } from '../storage/receipts';
import { toldIds } from '../storage/told-events';
import { changesAfter } from './changes-after';

export interface ListToldEventsParts {
  readonly changed: ChangedReceipts;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
  readonly now: () => Date;
}

type Contract = (typeof receiptStoreContracts)['listToldEvents'];

/** The ids of published events: those of new receipts in their order of arrival, then those of changes by time. */
export function listToldEvents({ changed, receipts, now }: ListToldEventsParts): Handler<Contract> {
  return async ({ body: { after, count } }, call) => {
    const at = now().getTime();
    if (after === null) {
      const end: ChangePlace = { seq: await receipts.lastNumber(call.retailer, call), at, id: '' };
      return { body: { told: [], next: printChangePlace(end), more: false } };
    }
    const page = { changed, receipts, count, now: at, until: at - onTheWayMs };
    const { changes, next, more } = await changesAfter('told', readChangePlace(after), page, call);
    const told = changes.map((change) => ({
      id: change._id,
      at: (change.changed_at ?? change.created?.at ?? new Date(0)).toISOString(),
      events: toldIds(change),
    }));
    return { body: { told, next: printChangePlace(next), more } };
  };
}
