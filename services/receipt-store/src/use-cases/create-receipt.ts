import { createHash } from 'node:crypto';
import type { createReceipt as contract } from '@receipts/contracts';
import { ServiceError, type BatchHandler, type Item } from '@receipts/kernel';
import { fingerprint } from '@receipts/storage';
import type { AnsweredLinks } from './answered-links';
import type { StoreReceipts } from './store-receipts';
import type { Submission } from './submission';

type CreateReceipt = typeof contract;

/**
 * Identifies the request: by its idempotency key and body if there is a key, so that it is recognised even after the key
 * has expired; otherwise by its message, which the broker may redeliver.
 */
function namesOf({ input, call }: Item<CreateReceipt>, at: Date): Pick<Submission, 'origin' | 'idem'> {
  const { idempotencyKey, principal, id } = call;
  if (idempotencyKey === undefined) return { origin: `call:${id}` };
  const print = fingerprint(input, true);
  const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest('base64url');
  // A key belongs to the principal that used it.
  const key = digest(principal.kind, principal.id, idempotencyKey);
  return { origin: `key:${digest(key, print)}`, idem: { key, fingerprint: print, at } };
}

/** Stores posted receipts, all waiting ones in one write. */
export function createReceipt(
  receipts: StoreReceipts,
  linksOf: AnsweredLinks,
  now: () => Date,
): BatchHandler<CreateReceipt> {
  return {
    async batch(items) {
      const at = now();
      const stored = await receipts.store(
        items.map((item) => ({
          id: item.call.id,
          posted: item.input.body,
          posDataIds: [],
          ...namesOf(item, at),
          call: item.call,
        })),
      );
      return stored.map((outcome, i) => {
        if (outcome instanceof ServiceError) return outcome;
        const { id, replayed } = outcome;
        const links = linksOf(id, (items[i] as Item<CreateReceipt>).call);
        return { body: { id, ...(links && { _links: links }) }, meta: { id }, ...(replayed && { replayed }) };
      });
    },
  };
}
