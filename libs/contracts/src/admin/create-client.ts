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
      'A missing key and a missing secret are generated. A key is unique over all retailers. `signature_max_age` belongs to `hmac` clients only. A client that is made by one with `consumer_required` has it too.',
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
  { answer: ({ authentication, id }) => ({ headers: { location: `/clients/${authentication}/${id}` } }) },
);
