import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';
import { endpoint } from './endpoint';

/** Lists endpoints and their event types, without secrets. */
export const listWebhookEndpoints = defineQuery({
  name: 'delivery.list-webhook-endpoints',
  summary: 'List webhook endpoints',
  description: 'Returns the webhook endpoints without their secrets, newest first.',
  permission: 'view.manage_webhook',
  http: { method: 'GET', path: '/webhooks/endpoints', success: 200, consumerScoped: true },
  query: z.object({
    count: pageCount,
    older: pageCursor(64),
  }),
  output: z.object({
    endpoints: z.array(endpoint).meta({ description: 'The endpoints of this page, newest first.' }),
    _links: listLinks,
  }),
  errors: [unknownCursor],
});
