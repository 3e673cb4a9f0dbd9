import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { portalUserStatuses } from './portal-user';

const portalUserData = z.object({
  id: z.int(),
  email: z.string(),
  group: z.string(),
  status: z.enum(portalUserStatuses),
  version: z.int(),
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
  'The group or the status changed, or the user has set a password.',
  portalUserData,
);

export const passwordResetRequested = portalUserEvent(
  'portal_user.password_reset_requested',
  'A password reset was asked for',
  'An e-mail with a link goes to the user. The link itself is in no event.',
  portalUserData.extend({ reset_id: z.string() }),
);
