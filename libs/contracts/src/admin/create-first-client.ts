import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { authenticationParams, clientKeyExists, createdClient, postedClient } from './client';
import { retailerNotFound, retailerParams } from './retailer';

/** The operator creates a retailer's first credential, because no other client exists that could grant it. */
export const createFirstClient = defineCommand(
  {
    name: 'admin.create-first-client',
    summary: 'Issue a credential for a retailer',
    description:
      'Accepts and returns the same as `POST /clients/{authentication}`. The operator can grant any permission.',
    http: {
      method: 'POST',
      path: '/operator/retailers/{id}/clients/{authentication}',
      access: 'operator',
      success: 201,
    },
    params: retailerParams.extend(authenticationParams.shape),
    body: json(postedClient),
    output: createdClient,
    meta: z.object({ authentication: z.string(), id: z.int() }),
    errors: [retailerNotFound, clientKeyExists],
    examples: { request: { description: 'Back office', permissions: ['view.*'] } },
  },
  { response: ({ authentication, id }) => ({ headers: { location: `/clients/${authentication}/${id}` } }) },
);
