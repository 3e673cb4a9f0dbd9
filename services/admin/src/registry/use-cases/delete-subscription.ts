import { subscriptionNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { orUnavailable } from '../../broker/or-unavailable';
import type { HandlerOf, Registry } from '../open-registry';
import { requiredAccess } from './subscription-access';

export function deleteSubscription(deps: Registry): HandlerOf<'deleteSubscription'> {
  return async ({ params: { id, name } }, call) => {
    // The subscription is marked first, so that it is not recreated after a reconnect.
    if (!(await deps.subscriptions.mark(id, name, 'incomplete', deadlineSignal(call))))
      throw new ServiceError(subscriptionNotFound);
    await orUnavailable(requiredAccess(deps).close(id, name));
    await deps.subscriptions.remove(id, name, deadlineSignal(call));
    return {};
  };
}
