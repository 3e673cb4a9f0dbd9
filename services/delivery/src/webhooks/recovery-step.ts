import { databaseTimeout } from '@receipts/storage';
import type { EventRecord } from '@receipts/kernel';
import { deliveriesOf } from './use-cases/deliver-events';
import type { WebhookParts } from './use-cases/webhook-parts';
import type { RecoveryDocument } from './storage/webhook-recoveries';

const pageMax = 200;
/** A single step takes much less time. Repeating a step has no effect. */
const leaseMs = 8_000;
/** Takes the next step of a requested recovery; false if there was none. */
export function recoveryStep(parts: WebhookParts): () => Promise<boolean> {
  return async () => {
    const recovery = await parts.recoveries.claim(parts.now(), leaseMs, databaseTimeout());
    if (!recovery) return false;
    const isDone = await step(recovery, parts);
    if (isDone) await parts.recoveries.done(recovery._id, parts.now(), databaseTimeout());
    return true;
  };
}

async function step(recovery: RecoveryDocument, parts: WebhookParts): Promise<boolean> {
  const { retailer, endpointId, status, at, eventId, until } = recovery;
  const { endpoints, eventLog, webhookDeliveries, recoveries, endpointLeases, now } = parts;
  const endpoint = await endpoints.find(retailer, endpointId, databaseTimeout());
  if (!endpoint?.settings.enabled) return true;
  if (status !== null) {
    await webhookDeliveries.restartOfStatus({ retailer, endpointId }, status, at, now(), databaseTimeout());
    await endpointLeases.wake([{ id: endpointId, retailer }], now(), databaseTimeout());
    return true;
  }
  const page = await eventLog.since(retailer, { at, id: eventId }, until, pageMax, databaseTimeout());
  const events = page.map(({ text }) => JSON.parse(text) as EventRecord);
  const wanted = (await Promise.all(events.map((event) => deliveriesOf(event, [endpoint], parts)))).flat();
  const ids = wanted.map(({ _id }) => _id);
  // Failed deliveries are restarted; others are either new or delivered.
  await webhookDeliveries.restartFailed(retailer, ids, now(), databaseTimeout());
  await webhookDeliveries.add(wanted, databaseTimeout());
  await endpointLeases.wake([{ id: endpointId, retailer }], now(), databaseTimeout());
  const last = page.at(-1);
  if (!last || page.length < pageMax) return true;
  await recoveries.reached(recovery._id, { at: last.at, eventId: last._id }, databaseTimeout());
  return false;
}
