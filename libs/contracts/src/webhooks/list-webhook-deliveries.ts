import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { choice, text } from '../shared/query-parameters';
import { listLinks } from '../shared/fields';
import { pageCount, pageCursor, unknownCursor } from '../shared/paging';
import { endpointParams, webhookEndpointNotFound } from './endpoint';
import { webhookDelivery, webhookDeliveryStatuses } from './webhook-delivery';

/** Shows an integrator whether its endpoint was called, and how it responded. */
export const listWebhookDeliveries = defineQuery({
  name: 'delivery.list-webhook-deliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description:
    'Returns the deliveries of an endpoint, newest first, with the headers of requests and responses. Deliveries are kept as long as events.',
  permission: 'view.manage_webhook',
  http: { method: 'GET', path: '/webhooks/endpoints/{id}/deliveries', success: 200, consumerScoped: true },
  params: endpointParams,
  query: z.object({
    status: choice(webhookDeliveryStatuses, 'Only return deliveries with this status.').optional(),
    type: text({
      max: 100,
      description: 'Only return deliveries of events of this type or glob.',
      example: 'receipt.created',
    }).optional(),
    count: pageCount,
    older: pageCursor(128),
  }),
  output: z.object({
    deliveries: z.array(webhookDelivery).meta({ description: 'The deliveries of this page, newest first.' }),
    _links: listLinks,
  }),
  errors: [webhookEndpointNotFound, unknownCursor],
});
