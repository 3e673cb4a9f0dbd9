import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { portalUserNotManageable, portalUserParams, resetLimited } from './portal-user';

/** For users who have forgotten the password or lost the first e-mail. */
export const sendPasswordReset = defineCommand({
  name: 'admin.send-password-reset',
  summary: 'Send a password reset e-mail',
  description:
    'The link in it sets a new password, once, within a day; an earlier link ends. At most three an hour for one address.',
  permission: 'view.reset_portal_user',
  http: { method: 'PATCH', path: '/portal/user/{email}/_send_password_reset', success: 204 },
  params: portalUserParams,
  errors: [portalUserNotManageable, resetLimited, concurrentWrite],
});
