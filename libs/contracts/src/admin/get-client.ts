import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { client, clientNotFound, clientParams } from './client';

export const getClient = defineQuery({
  name: 'admin.get-client',
  summary: 'Get an API client',
  description: 'The secret is shown by the answers of POST and PATCH only.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/{authentication}/{client_id}', success: 200 },
  params: clientParams,
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: client,
  errors: [clientNotFound],
});
