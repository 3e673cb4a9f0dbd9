import { withoutRound, withRound, type AlertRound } from '../domain/alerts';
import { eachAlone } from '../each-alone';
import { notifiedUsers } from '../notified-users';
import { alertsId, type NewNotification, type Notifications } from '../storage/notifications';
import type { AlertDependencies } from './on-alert-cause';

export interface RoundDependencies extends AlertDependencies {
  readonly notifications: Notifications;
  readonly wake: () => void;
}

/** Creates the e-mails of a round. @returns whether anybody gets one */
async function createNotifications(
  retailer: string,
  { number, causes, further = [] }: AlertRound,
  deps: RoundDependencies,
): Promise<boolean> {
  const types = [...new Set(causes.map(({ type }) => type))];
  let isTold = false;
  for await (const users of notifiedUsers(types, deps, retailer)) {
    const created = users.flatMap((user): NewNotification[] => {
      const relevant = causes.filter(
        ({ type, key }) =>
          user.types.includes(type) && (type !== 'failing_checks' || key === String(user.id)),
      );
      if (relevant.length === 0) return [];
      const content = { type: 'alerts', causes: relevant, further } as const;
      return [{ id: alertsId(user, number), user, content }];
    });
    await deps.notifications.add(created, deps.now());
    isTold ||= created.length > 0;
  }
  return isTold;
}

/**
 * Turns the collected causes into one e-mail for each manager. The causes of a round are fixed before its e-mails are
 * created: if the process crashes, another one creates the same e-mails.
 */
export function startAlertRounds(deps: RoundDependencies): () => Promise<void> {
  const { alerts, pauses, now, wake } = deps;
  const start = async (retailer: string) => {
    const at = now();
    const { round } = await alerts.change(retailer, (current) => withRound(current, at.getTime(), at));
    if (!round) return;
    const isTold = await createNotifications(retailer, round, deps);
    await alerts.change(retailer, (current) => withoutRound(current, round.number, isTold, at, pauses));
    if (isTold) wake();
  };
  return async () => eachAlone(await alerts.due(now()), start);
}
