import { isKnownEventGlob, retailerNotFound, type adminContracts } from '@receipts/contracts';
import { schemaValidationFailed, ServiceError, type Handler } from '@receipts/kernel';
import { hashedPassword, type IntegratorAccess } from '@receipts/messaging';
import { deadlineSignal } from '@receipts/storage';
import { routingKeysOf, type SubscriptionRecord } from '../domain/subscription';
import type { Subscriptions } from '../storage/subscriptions';
import {
  guardedAccess,
  requiredAccess,
  shownSubscription,
  type SubscriptionDeps,
} from './subscription-access';

const everything = ['*'];

function checkTypes(types: readonly string[]): void {
  const errors = types.flatMap((type, n) =>
    isKnownEventGlob(type)
      ? []
      : [{ path: `/types/${n}`, code: 'unknown_event_type', message: 'matches no event type' }],
  );
  if (errors.length > 0) throw new ServiceError(schemaValidationFailed, { errors });
}

/** What was begun and could not be finished is taken back as far as it goes; what is left says that it is incomplete. */
async function takeBack(
  access: IntegratorAccess,
  subscriptions: Subscriptions,
  { retailer, name }: SubscriptionRecord,
  signal: AbortSignal,
): Promise<void> {
  await access.close(retailer, name);
  await subscriptions.remove(retailer, name, signal);
}

export function createSubscription(
  deps: SubscriptionDeps & { newPassword: () => string },
): Handler<(typeof adminContracts)['createSubscription']> {
  const { retailers, subscriptions, newPassword, now } = deps;
  return async ({ params, body }, call) => {
    const signal = deadlineSignal(call);
    if (!(await retailers.find(params.id, signal))) throw new ServiceError(retailerNotFound);
    const { name, types = everything } = body;
    checkTypes(types);
    const access = requiredAccess(deps);
    const password = newPassword();
    const passwordHash = hashedPassword(password);
    const begun = await subscriptions.begin(params.id, { name, types, passwordHash, created: now() }, signal);
    try {
      // Whoever was interrupted may have bound it to other types.
      await guardedAccess(access.close(params.id, name));
      await guardedAccess(access.open({ ...begun, routingKeys: routingKeysOf(types) }));
      await subscriptions.mark(params.id, name, 'ready', signal);
    } catch (error) {
      await takeBack(access, subscriptions, begun, signal).catch(() => undefined);
      throw error;
    }
    const shown = shownSubscription(access, { ...begun, status: 'ready' });
    return { body: { ...shown, password }, meta: { retailer: params.id, name } };
  };
}
