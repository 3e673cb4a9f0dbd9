import type { eraseConsumer as contract } from '@receipts/contracts';
import { unlessStatus, type Handler } from '@receipts/kernel';
import { withoutPerson } from '../domain/without-person';
import type { ReceiptChange } from '../storage/receipt-changes';
import { updatedEvent, eventsOfChange } from '../storage/receipt-event';
import { searchOfChanged } from './search-of-changed';
import type { Parts } from './parts';

/** The approximate maximum time of one execution. The caller repeats the command until everything is done. */
const workMsMax = 1_000;
const receiptsAtOnce = 8;

/**
 * Removes a consumer from their receipts, in batches. Finished receipts no longer match, so the erasure can be resumed
 * at any time.
 */
export function eraseConsumer(parts: Parts): Handler<typeof contract> {
  const { changed, changes, stores, findRetailer, now } = parts;
  return async ({ body: { identifier, receipts } }, call) => {
    const retailer = await findRetailer(call);
    const { personal_properties: personal } = retailer.settings;
    const change: ReceiptChange = {
      searchOf: searchOfChanged(stores, retailer),
      decide: ({ receipt }) =>
        // The receipt may have been assigned to another consumer in the meantime.
        receipt.identifier === identifier ? withoutPerson(receipt, personal) : receipt,
      tell: (next) => eventsOfChange(next, call, now(), updatedEvent),
    };
    const endAt = Date.now() + workMsMax;
    let erased = 0;
    const nextIds = async (): Promise<readonly string[]> => {
      if (receipts) return receipts.slice(erased, erased + receiptsAtOnce);
      const found = await changed.ofConsumer(retailer.id, identifier, 0, receiptsAtOnce, call);
      return found.map(({ _id }) => _id);
    };
    for (;;) {
      const ids = await nextIds();
      if (ids.length === 0) return { body: { erased, done: true } };
      // A deleted receipt contains no personal data.
      await Promise.all(ids.map((id) => unlessStatus(changes.change(id, change, call), 404, 410)));
      erased += ids.length;
      if (Date.now() >= endAt) return { body: { erased, done: false } };
    }
  };
}
