import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';

export const catchUpDeliveries = defineCommand({
  name: 'delivery.catch-up-deliveries',
  summary: 'Catch up mails on arrival and events',
  description:
    'Looks for what this service has not heard of: receipts of the last 24 hours that are to be sent on arrival are sent, and events ' +
    'that never came go to the feed and to webhooks, in the background. The service does so by itself when it starts, after the ' +
    'broker was away, and now and then.',
  http: {
    method: 'POST',
    path: '/operator/services/delivery/_catch_up',
    access: 'operator',
    success: 202,
  },
  body: json(z.strictObject({})),
  examples: { request: {} },
});
