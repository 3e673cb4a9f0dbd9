import { portalEmailOf, portalUserNotManageable, retailerNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { passwordResetEvent } from '../domain/events';
import { grantsOf } from '../domain/grants';
import { checkManagesUser } from '../domain/portal-group';
import { checkManageable, checkResetsLeft, withReset } from '../domain/portal-user';

export function sendPasswordReset(deps: Registry): HandlerOf<'sendPasswordReset'> {
  const { portalUsers, retailers, newReset, now: clock } = deps;
  return async ({ params }, call) => {
    const grants = grantsOf(call);
    const signal = deadlineSignal(call);
    const retailer = await retailers.find(call.retailer, signal);
    if (!retailer) throw new ServiceError(retailerNotFound);
    const now = clock();
    const reset = newReset();
    const asked = await portalUsers.change(
      call.retailer,
      portalEmailOf(params.email),
      (current) => {
        checkManageable(current, call.retailer, 'retailer');
        checkManagesUser(grants, current, retailer.settings);
        checkResetsLeft(current, now);
        return withReset(current, reset, now, false);
      },
      (next) => passwordResetEvent(next, call, now),
      { callId: call.id, signal },
    );
    if (!asked) throw new ServiceError(portalUserNotManageable);
    return {};
  };
}
