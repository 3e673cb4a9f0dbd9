import { defineQuery } from '@receipts/kernel';
import { client, clientNotFound, clientParams } from './client';

export const getClient = defineQuery({
  name: 'admin.get-client',
  summary: 'Get an API client',
  description: 'Returns the client without its secret, which only POST and PATCH return.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/{authentication}/{client_id}', success: 200 },
  params: clientParams,
  output: client,
  errors: [clientNotFound],
});
