import { defineQuery, flag, integer } from '@receipts/kernel';
import { z } from 'zod';
import { authenticationParams, client, clientNotFound } from './client';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';

/** Lists the clients without their secrets. */
export const listClients = defineQuery({
  name: 'admin.list-clients',
  summary: 'List API clients',
  description:
    'The client that was created last comes first. `_links.next` is there while older ones follow.',
  permission: 'view.get_client',
  http: { method: 'GET', path: '/clients/{authentication}', success: 200 },
  params: authenticationParams,
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Clients on a page; 100 when it is not given.',
    }).optional(),
    older: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({ clients: z.array(client), _links: listLinks }),
  errors: [clientNotFound, unknownCursor],
});
