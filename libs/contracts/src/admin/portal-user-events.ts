import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { returnedLike } from '../shared/returned-like';
import { portalUserStatuses } from '../shared/portal-user-statuses';
import { notifications } from './notifications';
import { postedPortalUser } from './portal-user';

const portalUserData = returnedLike(postedPortalUser, {
  id: z.int().describe('The id of the portal user.'),
  email: z.string().describe('The e-mail address with which the user signs in.'),
  group: z.string().describe('The group of the user; empty if there is none.'),
  status: z.enum(portalUserStatuses),
  stores: z
    .array(z.string())
    .nullable()
    .describe('The references of the stores whose receipts the user may see; `null` for all stores.'),
  notifications: notifications
    .nullable()
    .describe('The e-mails about the business that the user gets; `null` for none.'),
  version: z.int().describe('The version of the portal user, from 1. It increases with every change.'),
});

const portalUserEvent = <T extends `portal_user.${string}`, D extends z.ZodType>(
  type: T,
  summary: string,
  description: string,
  data: D,
) => defineEvent({ type, owner: 'admin', collection: 'portal_users', summary, description, data });

export const portalUserCreated = portalUserEvent(
  'portal_user.created',
  'A portal user was created',
  'The user can sign in once a password is set.',
  portalUserData,
);

export const portalUserUpdated = portalUserEvent(
  'portal_user.updated',
  'A portal user was changed',
  'The group, the stores, the e-mails or the status of the user changed, or the user set a password.',
  portalUserData,
);

export const passwordResetRequested = portalUserEvent(
  'portal_user.password_reset_requested',
  'A password reset was requested',
  'The user receives an e-mail with a link to set a new password. No event contains the link.',
  portalUserData.extend({ reset_id: z.string().describe('The id of the password reset.') }),
);
