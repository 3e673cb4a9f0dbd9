import { groupBy } from '@receipts/concurrency';
import { receiptStoreContracts, type NotifiedUser } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { withCheckFigures, type CheckFigures } from '../domain/alerts';
import { eachAlone } from '../each-alone';
import { callFor, notifiedUsers } from '../notified-users';
import type { AlertDependencies } from './on-alert-cause';

const periodMs = 60 * 60_000;

type Counts = Pick<CheckFigures, 'failed' | 'receipts'>;

async function countsFor(user: NotifiedUser, deps: AlertDependencies): Promise<Counts> {
  const since = timestampOf(new Date(deps.now().getTime() - periodMs));
  const count = async (query: string) => {
    const body = { query, since };
    return (await deps.ask(receiptStoreContracts.countReceipts, { body }, callFor(user, deps))).body.hits;
  };
  const failed = await count('checks:*');
  return { failed, receipts: failed === 0 ? 0 : await count('') };
}

/** Compares the share of failing receipts with the limits of the users, within the stores that each may see. */
export function watchChecks(deps: AlertDependencies): () => Promise<void> {
  const { alerts, pauses, now } = deps;
  const watch = async ([retailer, users]: readonly [string, readonly NotifiedUser[]]) => {
    const counted = new Map<string, Promise<Counts>>();
    const figures: CheckFigures[] = [];
    for (const user of users) {
      const key = JSON.stringify(user.stores);
      const counts = counted.get(key) ?? countsFor(user, deps);
      counted.set(key, counts);
      figures.push({ user: user.id, percentMax: user.failing_checks_percent, ...(await counts) });
    }
    await alerts.change(retailer, (current) => withCheckFigures(current, figures, now(), pauses));
  };
  return async () => {
    for await (const users of notifiedUsers(['failing_checks'], deps))
      await eachAlone(
        groupBy(users, (user) => user.retailer),
        watch,
      );
  };
}
