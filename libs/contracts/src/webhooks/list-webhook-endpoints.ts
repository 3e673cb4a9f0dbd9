import { defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { consumerNotAllowed, endpoint } from './endpoint';

/** Lists endpoints and their event types, without secrets. */
export const listWebhookEndpoints = defineQuery({
  name: 'delivery.list-webhook-endpoints',
  summary: 'List webhook endpoints',
  description:
    'The endpoint that was created last comes first. `_links.next` is there while older ones follow.',
  permission: 'view.manage_webhook',
  http: { method: 'GET', path: '/webhooks/endpoints', success: 200 },
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Endpoints on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 64, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({
    endpoints: z.array(endpoint).meta({ description: 'The endpoints of this page, newest first.' }),
    _links: listLinks,
  }),
  errors: [consumerNotAllowed, unknownCursor],
});
