import { createReceipt as contract, type AllottedLinks } from '@receipts/contracts';
import { ServiceError, type BatchHandler, type Item, requestKeyOf } from '@receipts/kernel';
import type { AnsweredLinks } from './answered-links';
import type { StoreReceipts } from './store-receipts';
import { postedSubmission, type Submission } from './submission';

type CreateReceipt = typeof contract;

/**
 * Identifies the request: by its idempotency key and body if there is a key, so that it is recognized even after the
 * key has expired; otherwise by its message, which the broker may redeliver.
 */
function identityOf({ input, call }: Item<CreateReceipt>, at: Date): Pick<Submission, 'origin' | 'idem'> {
  const idem = requestKeyOf(contract, input, call, at);
  if (!idem) return { origin: `call:${call.id}` };
  return { origin: `key:${idem.key}:${idem.fingerprint}`, idem };
}

/** Stores posted receipts, all waiting receipts in one write. */
export function createReceipt(
  receipts: StoreReceipts,
  links: Pick<AllottedLinks, 'open'>,
  linksOf: AnsweredLinks,
  now: () => Date,
): BatchHandler<CreateReceipt> {
  return {
    async batch(items) {
      const at = now();
      const stored = await receipts.store(
        items.map((item) => {
          const { input, call } = item;
          return postedSubmission(input.body, { id: call.id, ...identityOf(item, at), call }, links);
        }),
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
