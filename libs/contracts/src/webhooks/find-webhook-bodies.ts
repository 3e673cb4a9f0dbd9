import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { webhookEndpointNotFound } from './endpoint';

/** For the portal, which shows the requests to an endpoint. The API lists deliveries without their bodies. */
export const findWebhookBodies = defineQuery({
  name: 'delivery.find-webhook-bodies',
  summary: 'Get the request bodies of webhook deliveries',
  description:
    "Internal. Returns the bodies of an endpoint's deliveries, in the order of the ids; null if the event is no longer stored.",
  body: z.object({
    endpoint_id: z.string(),
    /** The ids of deliveries. */
    ids: z.array(z.string()).max(100),
  }),
  output: z.object({ bodies: z.array(z.string().nullable()) }),
  errors: [webhookEndpointNotFound],
});
