import { retailerNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { requiredAccess, shownSubscription, type SubscriptionDeps } from './subscription-access';

export function listSubscriptions(
  deps: SubscriptionDeps,
): Handler<(typeof adminContracts)['listSubscriptions']> {
  return async ({ params }, call) => {
    const signal = deadlineSignal(call);
    if (!(await deps.retailers.find(params.id, signal))) throw new ServiceError(retailerNotFound);
    const access = requiredAccess(deps);
    const records = await deps.subscriptions.list(params.id, signal);
    return { body: { subscriptions: records.map((record) => shownSubscription(access, record)) } };
  };
}
