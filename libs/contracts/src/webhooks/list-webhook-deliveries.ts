import { choice, defineQuery, flag, integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { listLinks } from '../shared/fields';
import { unknownCursor } from '../shared/paging';
import { consumerNotAllowed, endpointParams, webhookEndpointNotFound } from './endpoint';
import { webhookDelivery, webhookDeliveryStatuses } from './webhook-delivery';

/** Shows an integrator whether its endpoint was called, and how it responded. */
export const listWebhookDeliveries = defineQuery({
  name: 'delivery.list-webhook-deliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Newest first, with the heads of each request and response. Kept as long as the events.',
  permission: 'view.manage_webhook',
  http: { method: 'GET', path: '/webhooks/endpoints/{id}/deliveries', success: 200 },
  params: endpointParams,
  query: z.object({
    pretty: flag('Readable formatting').optional(),
    status: choice(webhookDeliveryStatuses, 'Only deliveries of this status.').optional(),
    type: text({ max: 100, description: 'Only events of this type, or of this glob.' }).optional(),
    count: integer({
      min: 1,
      max: 100,
      description: 'Deliveries on a page; 100 when it is not given.',
    }).optional(),
    older: text({ max: 128, description: 'From `_links.next`.' }).optional(),
  }),
  output: z.object({
    deliveries: z.array(webhookDelivery).meta({ description: 'The deliveries of this page, newest first.' }),
    _links: listLinks,
  }),
  errors: [consumerNotAllowed, webhookEndpointNotFound, unknownCursor],
});
