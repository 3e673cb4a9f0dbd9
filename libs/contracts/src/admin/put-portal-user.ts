import { concurrentWrite, defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import {
  portalUserBody,
  portalUserNotManageable,
  portalUserParams,
  strongerGroup,
  strongerUser,
} from './portal-user';

/** Allows a retailer to add and disable portal users. */
export const putPortalUser = defineCommand(
  {
    name: 'admin.put-portal-user',
    summary: 'Create or update a portal user',
    description:
      "Creates or updates a portal user. A user created by another retailer or by the operator cannot be managed here and causes 404. The client must hold all permissions of the user's new group and, for an existing user, of the old one; a user without a group, or in a group without `portal_permissions`, has `view.get_receipt` and `view.search_receipt`. A client with the setting `consumer_required` cannot manage users, because portal users see the receipts of all consumers. With `stores`, a user finds, sees and changes only receipts of these stores, on every page, in totals and in exports, and has no access to what belongs to the whole retailer, such as clients, webhooks and mappings.",
    permission: 'view.put_portal_user',
    forStores: 'confined',
    http: { method: 'PUT', path: '/portal/user/{email}', success: 201, otherSuccess: [204] },
    params: portalUserParams,
    body: portalUserBody,
    meta: z.object({ created: z.boolean() }),
    needs: { permissions: true },
    errors: [portalUserNotManageable, strongerGroup, strongerUser, concurrentWrite],
    examples: { request: { group: 'clerks', status: 'active' } },
  },
  { response: ({ created }) => ({ status: created ? 201 : 204 }) },
);
