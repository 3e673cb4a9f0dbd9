import { groupBy } from '@receipts/concurrency';
import type { NotifiedUser } from '@receipts/contracts';
import type { ModuleDependencies } from '../../module-dependencies';
import { closedDay } from '../domain/closed-day';
import { eachAlone } from '../each-alone';
import { knownStores, type KnownStore } from '../known-stores';
import { callFor, notifiedUsers, retailerCall, type Asking } from '../notified-users';
import { totalsId, type NewNotification, type Notifications } from '../storage/notifications';

export interface PlanningDependencies extends Asking, Pick<ModuleDependencies, 'retailer'> {
  readonly notifications: Notifications;
  readonly wake: () => void;
}

/** A user's stores may be in several time zones, where the day ends at different times. */
function notificationsOf(
  user: NotifiedUser,
  stores: readonly KnownStore[],
  retailerZone: string,
  now: Date,
): NewNotification[] {
  const zones = new Set(stores.map(({ timezone }) => timezone ?? retailerZone));
  // Receipts of unknown stores are those of the retailer's time zone.
  if (user.stores === null) zones.add(retailerZone);
  return [...zones].map((timeZone) => {
    const day = closedDay(timeZone, now);
    return { id: totalsId(user, day, timeZone), user, content: { type: 'daily_totals', day, timeZone } };
  });
}

/**
 * Creates the e-mails with the totals of the last day that has ended, once for each user, day and time zone: a process
 * that was down catches up, and a day does not come twice.
 */
export function planDailyTotals(deps: PlanningDependencies): () => Promise<void> {
  const { notifications, wake, now } = deps;
  const plan = async ([retailer, users]: readonly [string, readonly NotifiedUser[]]) => {
    const { settings } = await deps.retailer(retailer, retailerCall(retailer, deps));
    const stores = new Map<string, Promise<readonly KnownStore[]>>();
    const planned: NewNotification[] = [];
    for (const user of users) {
      const key = JSON.stringify(user.stores);
      const known = stores.get(key) ?? knownStores(callFor(user, deps), deps);
      stores.set(key, known);
      planned.push(...notificationsOf(user, await known, settings.timezone, now()));
    }
    const missing = await notifications.missing(planned.map(({ id }) => id));
    if (missing.size === 0) return;
    await notifications.add(
      planned.filter(({ id }) => missing.has(id)),
      now(),
    );
    wake();
  };
  return async () => {
    for await (const users of notifiedUsers(['daily_totals'], deps))
      await eachAlone(
        groupBy(users, (user) => user.retailer),
        plan,
      );
  };
}
