import { randomBytes } from 'node:crypto';
import { isKnownEventGlob, retailerNotFound } from '@receipts/contracts';
import { schemaValidationFailed, ServiceError, wording } from '@receipts/kernel';
import { deadlineSignal, databaseTimeout } from '@receipts/storage';
import { hashedPassword, type IntegratorAccess } from '../../broker/integrator-access';
import { orUnavailable } from '../../broker/or-unavailable';
import type { HandlerOf, Registry } from '../open-registry';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';
import type { Subscriptions } from '../storage/subscriptions';
import { requiredAccess, subscriptionView } from './subscription-access';

const everything = ['*'];
const passwordBytes = 32;

function checkTypes(types: readonly string[]): void {
  const errors = types.flatMap((type, n) =>
    isKnownEventGlob(type)
      ? []
      : [{ path: `/types/${n}`, code: 'unknown_event_type', message: wording.eventType }],
  );
  if (errors.length > 0) throw new ServiceError(schemaValidationFailed, { errors });
}

/** Undoes an incomplete creation as far as possible; the rest is marked as incomplete. */
async function undoCreation(
  access: IntegratorAccess,
  subscriptions: Subscriptions,
  { retailer, name }: SubscriptionRecord,
): Promise<void> {
  await access.close(retailer, name);
  // The broker may have used up the caller's time, so the cleanup has its own time limit.
  await subscriptions.remove(retailer, name, databaseTimeout());
}

export function createSubscription(deps: Registry): HandlerOf<'createSubscription'> {
  const { retailers, subscriptions, now } = deps;
  return async ({ params, body }, call) => {
    if (!(await retailers.find(params.id, deadlineSignal(call)))) throw new ServiceError(retailerNotFound);
    const { name, types = everything } = body;
    checkTypes(types);
    const access = requiredAccess(deps);
    const password = randomBytes(passwordBytes).toString('base64url');
    const passwordHash = hashedPassword(password);
    const record = { name, types, passwordHash, created: now() };
    const begun = await subscriptions.begin(params.id, record, {
      callId: call.id,
      signal: deadlineSignal(call),
    });
    try {
      // An interrupted creation may have bound the queue to other types.
      await orUnavailable(access.close(params.id, name));
      await orUnavailable(access.open({ ...begun, routingKeys: routingKeysOf(types) }));
      await subscriptions.mark(params.id, name, 'ready', deadlineSignal(call));
    } catch (error) {
      await undoCreation(access, subscriptions, begun).catch(() => undefined);
      throw error;
    }
    const shown = subscriptionView(access, { ...begun, status: 'ready' });
    return { body: { ...shown, password }, meta: { retailer: params.id, name } };
  };
}
