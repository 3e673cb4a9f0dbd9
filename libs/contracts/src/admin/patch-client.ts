import { concurrentWrite, defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import {
  clientDescriptionField,
  clientKeyExists,
  clientKeyField,
  clientNotFound,
  clientParams,
  clientSettings,
  clientWithSecret,
  notGranted,
  signatureMaxAgeField,
  strongerClient,
} from './client';
import { atMostOneOf } from '../shared/exclusive';
import { permissionsField } from './permissions';

/**
 * The fields to change. `permissions` replaces the list, `permissions+=` adds to it, `permissions-=` removes from it.
 */
const clientPatch = z
  .strictObject({
    pretty: z.boolean().optional(),
    permissions: permissionsField.optional(),
    'permissions+=': permissionsField.optional(),
    'permissions-=': permissionsField.optional(),
    description: clientDescriptionField.optional(),
    revoked: z.boolean().optional(),
    key: clientKeyField.optional(),
    signature_max_age: signatureMaxAgeField.optional(),
    settings: clientSettings.optional(),
  })
  .superRefine(atMostOneOf(['permissions', 'permissions+=', 'permissions-=']), always);

export type ClientPatch = z.output<typeof clientPatch>;

/** Changes or revokes a client. A revocation takes effect in all gateways within a second. */
export const patchClient = defineCommand({
  name: 'admin.patch-client',
  summary: 'Patch an API client',
  description:
    'Only one of the three permissions fields may be given. Nobody grants what they do not hold, and nobody patches a client that holds more than they do: the answer carries its secret. `settings` are merged member by member; `consumer_required` is changed only by a caller that does not have it.',
  permission: 'view.patch_client',
  http: { method: 'PATCH', path: '/clients/{authentication}/{client_id}', success: 200 },
  params: clientParams,
  body: json(clientPatch),
  output: clientWithSecret,
  needs: { permissions: true },
  errors: [clientNotFound, clientKeyExists, notGranted, strongerClient, concurrentWrite],
  examples: { request: { 'permissions+=': ['view.get_receipt'] } },
});
