import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { mailLanguage } from '../domain/mail-language';
import { isResetValid } from '../domain/portal-user';

export function findPasswordReset(deps: Registry): HandlerOf<'findPasswordReset'> {
  const { portalUsers, retailers, sealer, publicUrl, now } = deps;
  return async ({ body }, call) => {
    const signal = deadlineSignal(call);
    const user = await portalUsers.findByReset(body.reset_id, signal);
    const retailer = user && (await retailers.find(user.retailer, signal));
    if (!user?.reset || !retailer || !isResetValid(user.reset, now())) return { body: { reset: null } };
    const token = `${user.reset.id}.${sealer.open(user.reset.secret)}`;
    return {
      body: {
        reset: {
          email: user.email,
          link: `${publicUrl}/portal/password?token=${token}`,
          expires: timestampOf(user.reset.expires),
          language: user.reset.language ?? mailLanguage(retailer.settings.locale),
          retailer: { id: retailer.id, name: retailer.name },
          is_invitation: user.password === null,
        },
      },
    };
  };
}
