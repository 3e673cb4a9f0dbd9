import { databaseTimeout, DueWork } from '@receipts/storage';
import { deliveriesOf } from './create-deliveries';
import type { WebhookDependencies } from './webhook-dependencies';
import type { RecoveryDocument } from '../storage/webhook-recoveries';

/** Small, because several steps run at a time, and each event may need a request to another service. */
const pageMax = 50;
const stopGraceMs = 4_000;

/** Takes the requested recoveries step by step. Those of different retailers take turns. */
export function recoveryWork(deps: WebhookDependencies): DueWork<RecoveryDocument> {
  const { recoveries, now, log } = deps;
  return new DueWork({
    name: 'recoveries of webhook endpoints',
    claim: (order, signal) => recoveries.claimDue(order, now(), signal),
    async attempt(recovery) {
      const isDone = await step(recovery, deps);
      deps.wakeWebhooks();
      if (isDone) await recoveries.done(recovery._id, now(), databaseTimeout());
    },
    log,
    stopGraceMs,
  });
}

async function step(recovery: RecoveryDocument, deps: WebhookDependencies): Promise<boolean> {
  const { retailer, endpointId, status, at, eventId, until } = recovery;
  const { endpoints, eventLog, webhookDeliveries, recoveries, endpointLeases, now } = deps;
  const endpoint = await endpoints.find(retailer, endpointId, databaseTimeout());
  if (!endpoint?.settings.enabled) return true;
  if (status !== null) {
    await webhookDeliveries.restartOfStatus({ retailer, endpointId }, status, at, now(), databaseTimeout());
    await endpointLeases.wake([{ id: endpointId, retailer }], now(), databaseTimeout());
    return true;
  }
  const page = await eventLog.since(retailer, { at, id: eventId }, until, pageMax, databaseTimeout());
  const wanted = (await Promise.all(page.map((event) => deliveriesOf(event, [endpoint], deps)))).flat();
  const ids = wanted.map(({ _id }) => _id);
  // Failed deliveries are restarted; others are either new or delivered.
  await webhookDeliveries.restartFailed(retailer, ids, now(), databaseTimeout());
  await webhookDeliveries.add(wanted, databaseTimeout());
  await endpointLeases.wake([{ id: endpointId, retailer }], now(), databaseTimeout());
  const last = page.at(-1);
  if (!last || page.length < pageMax) return true;
  await recoveries.reached(recovery._id, { at: last.at, eventId: last._id }, now(), databaseTimeout());
  return false;
}
