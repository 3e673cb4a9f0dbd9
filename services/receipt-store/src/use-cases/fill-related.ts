import type { ReturnedReceipt } from '@receipts/contracts';
import { serviceCall, type Call } from '@receipts/kernel';
import { unknownRelated, withIds } from '../domain/related';
import type { ReceiptChange, ReceiptChanges } from '../storage/receipt-changes';
import { updatedEvents } from '../storage/receipt-event';
import type { RelatedReceipts } from '../storage/related-receipts';
import type { FoundReceipt } from '../storage/receipts-by-id';
import type { StoreDirectory } from '../storage/store-directory';
import type { FindRetailer } from './find-retailer';
import { searchOfChanged } from './search-of-changed';

export interface FillRelatedParts {
  readonly related: Pick<RelatedReceipts, 'idsOf'>;
  readonly changes: ReceiptChanges;
  readonly stores: StoreDirectory;
  readonly findRetailer: FindRetailer;
  readonly now: () => Date;
}

type Stored = Pick<FoundReceipt, '_id' | 'text' | 'version'>;
export type FillRelated = (found: Stored, call: Call) => Promise<Pick<Stored, 'text' | 'version'>>;

/** Spares nearly all receipts the parsing. */
const mayBeUnknown = (text: string) => text.includes('"related":[{') && text.includes('"id":null');

/** Fills in the ids of related receipts that have arrived since, and stores them as a change. */
export function fillRelated({ related, changes, stores, findRetailer, now }: FillRelatedParts): FillRelated {
  return async (found, call) => {
    if (!mayBeUnknown(found.text)) return found;
    const unknown = unknownRelated((JSON.parse(found.text) as ReturnedReceipt).related);
    const ids = await related.idsOf(call.retailer, unknown, call);
    if (ids.size === 0) return found;
    const own = { ...serviceCall('receipt-store', now().getTime(), call.retailer), deadline: call.deadline };
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide: ({ receipt }) => ({ ...receipt, related: withIds(receipt.related, ids) }),
      tell: (next) => updatedEvents(next, false, own, now()),
    };
    return (await changes.change(found._id, change, own)) ?? found;
  };
}
