import { createReceipt as contract } from '@receipts/contracts';
import { requestKeyOf } from '@receipts/storage';
import { ServiceError, type BatchHandler, type Item } from '@receipts/kernel';
import { answeredLinks } from './answered-links';
import type { Dependencies } from './dependencies';
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
export function createReceipt(deps: Dependencies): BatchHandler<CreateReceipt> {
  return {
    async batch(items) {
      const at = deps.now();
      const stored = await deps.storing.store(
        items.map((item) => {
          const { input, call } = item;
          return postedSubmission(input.body, { id: call.id, ...identityOf(item, at), call }, deps.links);
        }),
      );
      return stored.map((outcome, i) => {
        if (outcome instanceof ServiceError) return outcome;
        const { id, replayed } = outcome;
        const links = answeredLinks(deps, id, (items[i] as Item<CreateReceipt>).call);
        return { body: { id, ...(links && { _links: links }) }, meta: { id }, ...(replayed && { replayed }) };
      });
    },
  };
}
