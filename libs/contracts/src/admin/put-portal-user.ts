import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { notGranted } from './client';
import { portalUserBody, portalUserNotManageable, portalUserParams } from './portal-user';

/** Lets a retailer add portal users and lock them out. */
export const putPortalUser = defineCommand(
  {
    name: 'admin.put-portal-user',
    summary: 'Create or update a portal user',
    description:
      'A user that another retailer or the operator has made cannot be managed here, which is 404. A new user gets an e-mail with a link to set a password, unless `send_password_reset_on_create` is false. A client with `consumer_required` cannot do this, as portal users see the receipts of all consumers.',
    permission: 'view.put_portal_user',
    http: { method: 'PUT', path: '/portal/user/{email}', success: 201, otherSuccess: [204] },
    params: portalUserParams,
    body: portalUserBody,
    meta: z.object({ created: z.boolean() }),
    errors: [portalUserNotManageable, notGranted, concurrentWrite],
    examples: { request: { group: 'clerks', status: 'active' } },
  },
  { answer: ({ created }) => ({ status: created ? 201 : 204 }) },
);
