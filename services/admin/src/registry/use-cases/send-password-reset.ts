import { portalEmailOf, portalUserNotManageable } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';
import { checkAdministers } from '../domain/client';
import { passwordResetEvent } from '../domain/events';
import { checkManageable, checkResetsLeft, withReset } from '../domain/portal-user';

export function sendPasswordReset(deps: Registry): Endpoint<'sendPasswordReset'> {
  const { portalUsers, newReset, now: clock } = deps;
  return async ({ params }, call) => {
    checkAdministers(call);
    const now = clock();
    const reset = newReset();
    const asked = await portalUsers.change(
      call.retailer,
      portalEmailOf(params.email),
      (current) => {
        checkManageable(current, call.retailer, 'retailer');
        checkResetsLeft(current, now);
        return withReset(current, reset, now, false);
      },
      (next) => passwordResetEvent(next, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    if (!asked) throw new ServiceError(portalUserNotManageable);
    return {};
  };
}
