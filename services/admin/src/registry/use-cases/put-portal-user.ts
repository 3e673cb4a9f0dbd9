import { portalEmailOf, retailerNotFound, type PostedPortalUser } from '@receipts/contracts';
import { ServiceError, unavailable, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { grantsOf } from '../domain/grants';
import { checkManagesUser } from '../domain/portal-group';
import { portalUserEvents, portalUserUpdatedEvent } from '../domain/events';
import {
  checkGroup,
  checkManageable,
  newPortalUser,
  storesAfter,
  updatePortalUser,
  withReset,
  type PortalUserRecord,
} from '../domain/portal-user';

/** The same user may be created concurrently; the second attempt then updates it. */
const attemptsMax = 2;

/** Creates or updates a user of any retailer: used by the operator's contract and by the retailer's own. */
export function portalUserWriter(deps: Registry, managedBy: PortalUserRecord['managedBy']) {
  const { portalUsers, retailers, newReset, now: clock } = deps;
  return async (retailerId: string, address: string, body: PostedPortalUser, call: Call) => {
    const grants = grantsOf(call);
    const signal = deadlineSignal(call);
    const cause = { callId: call.id, signal };
    const email = portalEmailOf(address);
    const retailer = await retailers.find(retailerId, signal);
    if (!retailer) throw new ServiceError(retailerNotFound);
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const found = await portalUsers.find(email, signal);
      if (found) checkManageable(found, retailerId, managedBy);
      checkGroup(body.group, retailer.settings.portal_groups);
      const now = clock();
      if (found) {
        const updated = await portalUsers.change(
          retailerId,
          email,
          (current) => {
            checkManagesUser(grants, current, retailer.settings);
            const next = updatePortalUser(current, body);
            checkManagesUser(grants, next, retailer.settings);
            return next;
          },
          (next) => portalUserUpdatedEvent(next, call, now),
          cause,
        );
        if (updated) return { meta: { created: false } };
        continue;
      }
      const stores = storesAfter(null, body);
      checkManagesUser(grants, { group: body.group, stores }, retailer.settings);
      const isInvited = body.send_password_reset_on_create ?? true;
      const created = await portalUsers.create(
        retailerId,
        (id) => {
          const user = newPortalUser({ retailer: retailerId, id, email, managedBy }, body);
          return isInvited ? withReset(user, newReset(), now, true) : user;
        },
        (record) => portalUserEvents(record, call, now),
        cause,
      );
      if (created) return { meta: { created: true } };
    }
    throw new ServiceError(unavailable);
  };
}

export function putPortalUser(deps: Registry): HandlerOf<'putPortalUser'> {
  const put = portalUserWriter(deps, 'retailer');
  return ({ params, body }, call) => put(call.retailer, params.email, body, call);
}
