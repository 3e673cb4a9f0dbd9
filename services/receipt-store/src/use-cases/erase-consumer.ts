import type { eraseConsumer as contract } from '@receipts/contracts';
import { pause } from '@receipts/concurrency';
import { ServiceError, unavailable, unlessStatus, type Call, type Handler } from '@receipts/kernel';
import { withoutPerson } from '../domain/without-person';
import type { ReceiptChange } from '../storage/receipt-changes';
import { updatedEvent, eventsOfChange } from '../storage/receipt-event';
import { searchOfChanged } from './search-of-changed';
import type { Dependencies } from './dependencies';

/** The approximate maximum time of one execution. The caller repeats the command until everything is done. */
const workMsMax = 1_000;
const receiptsAtOnce = 8;
/** A packet is usually stored, and its events are published, within a second of its receipts. */
const pollMs = 100;
const pollsMax = 20;

/** @throws ServiceError 503 if the raw data cannot be deleted yet; repeating the command continues */
async function discardRawData({ discards }: Dependencies, ids: readonly string[], call: Call): Promise<void> {
  for (let polls = 0; !(await discards.run(call.retailer, ids, call)); polls++) {
    if (polls >= pollsMax) throw new ServiceError(unavailable, { internal: 'raw data is still in use' });
    await pause(pollMs);
  }
}

/**
 * Removes a consumer from their receipts, in batches. Finished receipts no longer match, so the erasure can be resumed
 * at any time.
 */
export function eraseConsumer(deps: Dependencies): Handler<typeof contract> {
  const { changed, changes, stores, findRetailer, now } = deps;
  return async ({ body: { identifier, receipts } }, call) => {
    const retailer = await findRetailer(call);
    const { personal_properties: personal } = retailer.settings;
    const change: ReceiptChange = {
      erases: true,
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
      await discardRawData(deps, ids, call);
      erased += ids.length;
      if (Date.now() >= endAt) return { body: { erased, done: false } };
    }
  };
}
