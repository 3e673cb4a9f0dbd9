import { retailerNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { requiredAccess, subscriptionView } from './subscription-access';

export function listSubscriptions(deps: Registry): HandlerOf<'listSubscriptions'> {
  return async ({ params }, call) => {
    const signal = deadlineSignal(call);
    if (!(await deps.retailers.find(params.id, signal))) throw new ServiceError(retailerNotFound);
    const access = requiredAccess(deps);
    const records = await deps.subscriptions.list(params.id, signal);
    return { body: { subscriptions: records.map((record) => subscriptionView(access, record)) } };
  };
}
