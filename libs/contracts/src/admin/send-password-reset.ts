import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { portalUserNotManageable, portalUserParams, resetLimited, strongerGroup } from './portal-user';

/** For users who have forgotten their password or lost the first e-mail. */
export const sendPasswordReset = defineCommand({
  name: 'admin.send-password-reset',
  summary: 'Send a password reset e-mail',
  description:
    "Sends an e-mail with a link to set a new password. The link works once and expires after a day; earlier links of the user become invalid. At most three e-mails per hour are sent to an address. The client must hold all permissions of the user's group.",
  permission: 'view.reset_portal_user',
  forStores: 'confined',
  http: { method: 'PATCH', path: '/portal/user/{email}/_send_password_reset', success: 204 },
  params: portalUserParams,
  needs: { permissions: true },
  errors: [portalUserNotManageable, strongerGroup, resetLimited, concurrentWrite],
});
