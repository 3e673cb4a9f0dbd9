import { groupBy } from '@receipts/concurrency';
import { receiptStoreContracts, type NotifiedUser } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { withCheckFigures, type CheckFigures } from '../domain/alerts';
import { callFor, notifiedUsers } from '../notified-users';
import type { AlertParts } from './on-alert-cause';

const periodMs = 60 * 60_000;

type Counts = Pick<CheckFigures, 'failed' | 'receipts'>;

async function countsFor(user: NotifiedUser, parts: AlertParts): Promise<Counts> {
  const since = timestampOf(new Date(parts.now().getTime() - periodMs));
  const count = async (query: string) => {
    const body = { query, since };
    return (await parts.ask(receiptStoreContracts.countReceipts, { body }, callFor(user, parts))).body.hits;
  };
  const failed = await count('checks:*');
  return { failed, receipts: failed === 0 ? 0 : await count('') };
}

/** Compares the share of failing receipts with the limits of the users, within the stores that each may see. */
export function watchChecks(parts: AlertParts): () => Promise<void> {
  const { alerts, pauses, now } = parts;
  return async () => {
    for await (const users of notifiedUsers(['failing_checks'], parts)) {
      for (const [retailer, own] of groupBy(users, (user) => user.retailer)) {
        const counted = new Map<string, Promise<Counts>>();
        const figures: CheckFigures[] = [];
        for (const user of own) {
          const key = JSON.stringify(user.stores);
          const counts = counted.get(key) ?? countsFor(user, parts);
          counted.set(key, counts);
          figures.push({ user: user.id, percentMax: user.failing_checks_percent, ...(await counts) });
        }
        await alerts.change(retailer, (current) => withCheckFigures(current, figures, now(), pauses));
      }
    }
  };
}
