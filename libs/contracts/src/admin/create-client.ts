import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import {
  authenticationParams,
  clientKeyExists,
  clientNotFound,
  createdClient,
  notGranted,
  postedClient,
} from './client';

/**
 * Creates a credential for a till, a back office or an application. It cannot have more permissions than its creator.
 */
export const createClient = defineCommand(
  {
    name: 'admin.create-client',
    summary: 'Create an API client',
    description:
      'Creates a credential for a till, a back office or an application. A missing key or secret is generated. You cannot grant a permission that you do not hold. A client created by a client with `consumer_required` also has that setting.',
    permission: 'view.post_client',
    http: { method: 'POST', path: '/clients/{authentication}', success: 201 },
    params: authenticationParams,
    body: json(postedClient),
    output: createdClient,
    meta: z.object({ authentication: z.string(), id: z.int() }),
    needs: { permissions: true },
    errors: [clientNotFound, clientKeyExists, notGranted],
    examples: { request: { description: 'Till of store 1', permissions: ['view.post_receipt'] } },
  },
  { response: ({ authentication, id }) => ({ headers: { location: `/clients/${authentication}/${id}` } }) },
);
