import { PeriodicTask } from '@receipts/concurrency';
import { withStorageErrors } from '@receipts/storage';
import type { ModuleDependencies } from '../module-dependencies';
import type { LinkSettings } from '../rendering/open-rendering';
import type { SendingSettings } from '../sending/open-sending';
import type { AlertPauses } from './domain/alerts';
import { AlertsByRetailer, alertsDeclaration, type AlertsDocument } from './storage/alerts-by-retailer';
import { Notifications, notificationsDeclaration, type NotificationDocument } from './storage/notifications';
import { NotificationWorker } from './use-cases/notification-worker';
import { onAlertCause } from './use-cases/on-alert-cause';
import { planDailyTotals } from './use-cases/plan-daily-totals';
import { startAlertRounds } from './use-cases/start-alert-rounds';
import { watchChecks } from './use-cases/watch-checks';

const leaseMs = 60_000;
const planningEveryMs = 60_000;
const roundsEveryMs = 5_000;
const checksEveryMs = 5 * 60_000;
const firstAfterMs = 5_000;

export interface NotificationSettings {
  /** How alerts are collected. */
  readonly alertPauses: AlertPauses;
}

/** E-mails to a retailer's staff about its business. */
export async function openNotifications(
  deps: ModuleDependencies &
    LinkSettings &
    NotificationSettings &
    Pick<SendingSettings, 'mailer' | 'mailFrom'>,
) {
  const { service, database, ask, retailer, log, now, mailer, mailFrom, publicUrl } = deps;
  const notifications = new Notifications(
    await database.collection<NotificationDocument>(notificationsDeclaration),
  );
  const alerts = new AlertsByRetailer(await database.collection<AlertsDocument>(alertsDeclaration));
  const worker = new NotificationWorker({
    notifications,
    ask,
    retailer,
    log,
    now,
    mailer,
    mailFrom,
    publicUrl,
  });
  const common = {
    notifications,
    alerts,
    pauses: deps.alertPauses,
    ask,
    retailer,
    now,
    wake: () => worker.work.wake(),
  };
  const periodic = (name: string, everyMs: number, work: () => Promise<void>) => {
    const lease = service.lease(name, leaseMs);
    const run = async () => {
      if (await lease.acquire()) await withStorageErrors(work);
    };
    return new PeriodicTask({ everyMs, firstAfterMs, run, log, failure: `could not ${name}` });
  };
  const tasks = [
    periodic('plan the totals of the day', planningEveryMs, planDailyTotals(common)),
    periodic('start rounds of alerts', roundsEveryMs, startAlertRounds(common)),
    periodic('watch failing checks', checksEveryMs, watchChecks(common)),
  ];
  return {
    caused: onAlertCause(common),
    background: [worker.work, ...tasks],
  };
}
