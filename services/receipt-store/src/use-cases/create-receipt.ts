import { createHash } from 'node:crypto';
import type { createReceipt as contract } from '@receipts/contracts';
import { ServiceError, type BatchHandler, type Item } from '@receipts/kernel';
import { fingerprint } from '@receipts/storage';
import type { StoreReceipts } from './store-receipts';

type CreateReceipt = typeof contract;

/**
 * Names the request: by its idempotency key and body where there is a key, so that it is recognised when the record of the
 * key was lost with the process that held it; else by its message, which the broker may deliver again.
 */
function originOf({ input, call }: Item<CreateReceipt>): string {
  if (call.idempotencyKey === undefined) return `call:${call.id}`;
  const hash = createHash('sha256').update(call.idempotencyKey).update('\n').update(fingerprint(input, true));
  return `key:${hash.digest('base64url')}`;
}

/** Stores what tills post, all that is at hand in one write. */
export function createReceipt(receipts: StoreReceipts): BatchHandler<CreateReceipt> {
  return {
    async batch(items) {
      const stored = await receipts.store(
        items.map((item) => ({
          id: item.call.id,
          posted: item.input.body,
          posDataIds: [],
          origin: originOf(item),
          call: item.call,
        })),
      );
      return stored.map((outcome) =>
        outcome instanceof ServiceError ? outcome : { body: { id: outcome.id }, meta: { id: outcome.id } },
      );
    },
  };
}
