import { groupBy } from '@receipts/concurrency';
import type { NotifiedUser } from '@receipts/contracts';
import type { ModuleDependencies } from '../../module-dependencies';
import { closedDay } from '../domain/closed-day';
import { eachAlone } from '../each-alone';
import { knownStores } from '../known-stores';
import { callFor, notifiedUsers, retailerCall, type Asking } from '../notified-users';
import { totalsId, type NewNotification, type Notifications } from '../storage/notifications';

export interface PlanningDependencies extends Asking, Pick<ModuleDependencies, 'retailer'> {
  readonly notifications: Notifications;
  readonly wake: () => void;
}

/** The time zones of the stores that users see, which change rarely. */
interface KnownZones {
  readonly zones: ReadonlySet<string | null>;
  readonly readAt: number;
}

/** A store in another time zone is noticed after this time at the latest. */
const zonesKnownMs = 60 * 60_000;

const keyOf = ({ retailer, stores }: NotifiedUser) => JSON.stringify([retailer, stores]);

/** A user's stores may be in several time zones, where the day ends at different times. */
function notificationsOf(
  user: NotifiedUser,
  { zones }: KnownZones,
  retailerZone: string,
  now: Date,
): NewNotification[] {
  const named = new Set([...zones].map((zone) => zone ?? retailerZone));
  // Receipts of unknown stores are those of the retailer's time zone.
  if (user.stores === null) named.add(retailerZone);
  return [...named].map((timeZone) => {
    const day = closedDay(timeZone, now);
    return { id: totalsId(user, day, timeZone), user, content: { type: 'daily_totals', day, timeZone } };
  });
}

/**
 * Creates the e-mails with the totals of the last day that has ended, once for each user, day and time zone: a process
 * that was down catches up, and a day does not come twice. It remembers the time zones and which e-mails exist, and asks
 * for stores only when a day has ended.
 */
export function planDailyTotals(deps: PlanningDependencies): () => Promise<void> {
  const { notifications, wake, now } = deps;
  let known = new Map<string, KnownZones>();
  let existing = new Set<string>();

  const zonesFor = async (user: NotifiedUser): Promise<KnownZones> => {
    const stores = await knownStores(callFor(user, deps), deps);
    return { zones: new Set(stores.map(({ timezone }) => timezone)), readAt: now().getTime() };
  };
  /** The zones to plan with: the known ones if they are recent and no day has ended in them. */
  const zonesWhenDue = (user: NotifiedUser, retailerZone: string): KnownZones | undefined => {
    const zones = known.get(keyOf(user));
    if (!zones || now().getTime() - zones.readAt >= zonesKnownMs) return undefined;
    const planned = notificationsOf(user, zones, retailerZone, now());
    return planned.every(({ id }) => existing.has(id)) ? zones : undefined;
  };

  async function plan(users: readonly NotifiedUser[], retailerZone: string): Promise<NewNotification[]> {
    const read = new Map<string, KnownZones>();
    const planned: NewNotification[] = [];
    for (const user of users) {
      const key = keyOf(user);
      const zones = read.get(key) ?? zonesWhenDue(user, retailerZone) ?? (await zonesFor(user));
      read.set(key, zones);
      planned.push(...notificationsOf(user, zones, retailerZone, now()));
    }
    const open = planned.filter(({ id }) => !existing.has(id));
    if (open.length > 0) {
      const missing = await notifications.missing(open.map(({ id }) => id));
      await notifications.add(
        open.filter(({ id }) => missing.has(id)),
        now(),
      );
      if (missing.size > 0) wake();
    }
    for (const [key, zones] of read) known.set(key, zones);
    return planned;
  }

  return async () => {
    const seen = new Set<string>();
    const planned: NewNotification[] = [];
    const planRetailer = async ([retailer, users]: readonly [string, readonly NotifiedUser[]]) => {
      const { settings } = await deps.retailer(retailer, retailerCall(retailer, deps));
      planned.push(...(await plan(users, settings.timezone)));
      for (const user of users) seen.add(keyOf(user));
    };
    try {
      for await (const users of notifiedUsers(['daily_totals'], deps))
        await eachAlone(
          groupBy(users, (user) => user.retailer),
          planRetailer,
        );
    } finally {
      existing = new Set(planned.map(({ id }) => id));
      known = new Map([...known].filter(([key]) => seen.has(key)));
    }
  };
}
