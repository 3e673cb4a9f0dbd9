import type { adminContracts } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { isResetGood } from '../domain/portal-user';
import type { PortalUsers } from '../storage/portal-users';
import type { Retailers } from '../storage/retailers';

export function findPasswordReset(deps: {
  portalUsers: PortalUsers;
  retailers: Retailers;
  sealer: { open(sealed: string): string };
  /** The public URL of the platform, without a slash at the end. */
  publicUrl: string;
  now: () => Date;
}): Handler<(typeof adminContracts)['findPasswordReset']> {
  const { portalUsers, retailers, sealer, publicUrl, now } = deps;
  return async ({ body }, call) => {
    const signal = deadlineSignal(call);
    const user = await portalUsers.findByReset(body.reset_id, signal);
    const retailer = user && (await retailers.find(user.retailer, signal));
    if (!user?.reset || !retailer || !isResetGood(user.reset, now())) return { body: { reset: null } };
    const token = `${user.reset.id}.${sealer.open(user.reset.secret)}`;
    return {
      body: {
        reset: {
          email: user.email,
          link: `${publicUrl}/portal/password?token=${token}`,
          expires: timestampOf(user.reset.expires),
          retailer: { id: retailer.id, name: retailer.name },
          is_invitation: user.password === null,
        },
      },
    };
  };
}
