import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { clientKeyExists, createdClient, postedClient } from './client';
import { retailerNotFound } from './retailer';

/** The operator creates a retailer's first credential, because nobody else could grant it. */
export const createFirstClient = defineCommand(
  {
    name: 'admin.create-first-client',
    summary: 'Issue a credential for a retailer',
    description: 'Body and answer as POST /clients/{authentication}; any permission can be granted.',
    http: {
      method: 'POST',
      path: '/operator/retailers/{id}/clients/{authentication}',
      access: 'operator',
      success: 201,
    },
    params: z.object({ id: z.string().max(100), authentication: z.string().max(100) }),
    body: json(postedClient),
    output: createdClient,
    meta: z.object({ authentication: z.string(), id: z.int() }),
    errors: [retailerNotFound, clientKeyExists],
    examples: { request: { description: 'Back office', permissions: ['view.*'] } },
  },
  { answer: ({ authentication, id }) => ({ headers: { location: `/clients/${authentication}/${id}` } }) },
);
