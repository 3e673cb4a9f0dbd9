import { deadlineSignal } from '@receipts/storage';
import { portalUserUpdatedEvent } from '../domain/events';
import { withNotifications } from '../domain/portal-user';
import type { Endpoint, Registry } from '../open-registry';

export function stopNotifications({ portalUsers, now }: Registry): Endpoint<'stopNotifications'> {
  return async ({ body: { id } }, call) => {
    const signal = deadlineSignal(call);
    const user = await portalUsers.findById(call.retailer, id, signal);
    if (user) {
      await portalUsers.change(
        call.retailer,
        user.email,
        (current) => withNotifications(current, null),
        (next) => portalUserUpdatedEvent(next, call, now()),
        { callId: call.id, signal },
      );
    }
    return { body: {} };
  };
}
