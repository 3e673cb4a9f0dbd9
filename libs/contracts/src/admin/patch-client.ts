import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import type { z } from 'zod';
import { always } from '../shared/schema-checks';
import {
  clientKeyExists,
  clientNotFound,
  clientParams,
  clientWithSecret,
  notGranted,
  postedClient,
  strongerClient,
} from './client';
import { atMostOneOf } from '../shared/exclusive';
import { permissionsField } from './permissions';

/**
 * The fields to change. `permissions` replaces the list, `permissions+=` adds to it, `permissions-=` removes from it.
 */
const clientPatch = postedClient
  .omit({ secret: true })
  .partial()
  .extend({
    permissions: permissionsField
      .optional()
      .describe('The new list of permissions, which replaces the old list.'),
    'permissions+=': permissionsField.optional().describe('Permissions to add to the list.'),
    'permissions-=': permissionsField.optional().describe('Permissions to remove from the list.'),
  })
  .superRefine(atMostOneOf(['permissions', 'permissions+=', 'permissions-=']), always);

export type ClientPatch = z.output<typeof clientPatch>;

/** Changes or revokes a client. A revocation takes effect in all gateways within a second. */
export const patchClient = defineCommand({
  name: 'admin.patch-client',
  summary: 'Patch an API client',
  description:
    'Changes the given fields. At most one of the three permission fields may be given. You cannot grant a permission that you do not hold, nor patch a client that holds more permissions than you do, because the response contains its secret. `settings` are merged field by field; `consumer_required` can only be changed by a client that does not have it.',
  permission: 'view.patch_client',
  http: { method: 'PATCH', path: '/clients/{authentication}/{client_id}', success: 200 },
  params: clientParams,
  body: json(clientPatch),
  output: clientWithSecret,
  needs: { permissions: true },
  errors: [clientNotFound, clientKeyExists, notGranted, strongerClient, concurrentWrite],
  examples: { request: { 'permissions+=': ['view.get_receipt'] } },
});
