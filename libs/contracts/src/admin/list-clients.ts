import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { authenticationParams, client, clientNotFound } from './client';
import { listLinks } from '../shared/fields';
import { olderNumber, pageCount, unknownCursor } from '../shared/paging';

/** Lists the clients without their secrets. */
export const listClients = defineQuery({
  name: 'admin.list-clients',
  summary: 'List API clients',
  description: 'Returns the clients without their secrets, newest first.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/{authentication}', success: 200 },
  params: authenticationParams,
  query: z.object({
    count: pageCount,
    older: olderNumber,
  }),
  output: z.object({
    clients: z.array(client).describe('The clients of this page, newest first.'),
    _links: listLinks,
  }),
  errors: [clientNotFound, unknownCursor],
});
