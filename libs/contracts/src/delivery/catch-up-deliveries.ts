import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';

export const catchUpDeliveries = defineCommand({
  name: 'delivery.catch-up-deliveries',
  summary: 'Recover missed deliveries and events',
  description:
    'Recovers, in the background, what the broker has lost: sends receipts from the last 24 hours that should have been sent on arrival, and delivers missing events to the feed and to webhooks. The service also does this when it starts, after the broker was unavailable, ' +
    'and periodically.',
  http: {
    method: 'POST',
    path: '/operator/services/delivery/_catch_up',
    access: 'operator',
    success: 202,
  },
  body: json(z.strictObject({})),
  examples: { request: {} },
});
