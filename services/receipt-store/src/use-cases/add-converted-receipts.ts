import type { addConvertedReceipts as contract } from '@receipts/contracts';
import { ServiceError, type BatchHandler, type Item } from '@receipts/kernel';
import type { StoreReceipts } from './store-receipts';
import type { Stored, Submission } from './submission';

/** The maximum number of receipts prepared and written at once. A packet may contain a thousand. */
const receiptsAtOnceMax = 256;

function submissionsOf({ input: { body }, call }: Item<typeof contract>): Submission[] {
  const { pos_data_id: packet, receipts } = body;
  return receipts.map(({ id, receipt }) => ({
    id,
    posted: receipt,
    posDataIds: [packet],
    origin: `packet:${packet}|${id}`,
    call,
  }));
}

/**
 * Stores the receipts of converted packets, combining those of several packets. The ids were assigned beforehand, so a
 * retry recognizes the receipts that were stored before.
 */
export function addConvertedReceipts(receipts: StoreReceipts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const submissions = items.flatMap(submissionsOf);
      const stored: Stored[] = [];
      for (let at = 0; at < submissions.length; at += receiptsAtOnceMax) {
        stored.push(...(await receipts.store(submissions.slice(at, at + receiptsAtOnceMax))));
      }
      let next = 0;
      return items.map(({ input: { body } }) => {
        const results = body.receipts.map(() => {
          const outcome = stored[next++] as Stored;
          return outcome instanceof ServiceError ? { error: outcome.toWire() } : { id: outcome.id };
        });
        return { body: { results } };
      });
    },
  };
}
