import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { notGranted } from './client';
import { portalUserBody, portalUserNotManageable, portalUserParams } from './portal-user';

/** Allows a retailer to add and disable portal users. */
export const putPortalUser = defineCommand(
  {
    name: 'admin.put-portal-user',
    summary: 'Create or update a portal user',
    description:
      'Creates or updates a portal user. A user created by another retailer or by the operator cannot be managed here and causes 404. A client with the setting `consumer_required` cannot create users, because portal users see the receipts of all consumers.',
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
