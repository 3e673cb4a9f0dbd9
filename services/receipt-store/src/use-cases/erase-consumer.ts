import type { eraseConsumer as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { withoutPerson } from '../domain/without-person';
import type { ChangedReceipts } from '../storage/changed-receipts';
import type { ReceiptChange, ReceiptChanges } from '../storage/receipt-changes';
import { updatedEvents } from '../storage/receipt-event';
import type { StoreDirectory } from '../storage/store-directory';
import type { FindRetailer } from './find-retailer';
import { searchOfChanged } from './search-of-changed';

export interface EraseConsumerParts {
  readonly changed: ChangedReceipts;
  readonly changes: ReceiptChanges;
  readonly stores: StoreDirectory;
  readonly findRetailer: FindRetailer;
  readonly now: () => Date;
}

/** One execution ends after about so long; whoever has asked asks again. */
const workMsMax = 1_000;
const receiptsAtOnce = 8;

/** Takes a consumer out of the receipts, some at a time; what is done is found no more, so that it can go on any time. */
export function eraseConsumer(parts: EraseConsumerParts): Handler<typeof contract> {
  const { changed, changes, stores, findRetailer, now } = parts;
  return async ({ body: { identifier } }, call) => {
    const retailer = await findRetailer(call);
    const { personal_properties: personal } = retailer.settings;
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, retailer),
      decide: ({ receipt }) =>
        // Somebody else's by now.
        receipt.identifier === identifier ? withoutPerson(receipt, personal) : receipt,
      tell: (next) => updatedEvents(next, false, call, now()),
    };
    const endAt = Date.now() + workMsMax;
    let erased = 0;
    for (;;) {
      const found = await changed.ofConsumer(retailer.id, identifier, 0, receiptsAtOnce, call);
      if (found.length === 0) return { body: { erased, done: true } };
      await Promise.all(found.map(({ _id }) => changes.change(_id, change, call)));
      erased += found.length;
      if (Date.now() >= endAt) return { body: { erased, done: false } };
    }
  };
}
