import { z } from 'zod';
import { text } from '../../shared/query-parameters';
import { pageCursor } from '../../shared/paging';
import { csrf, doneParameter, portalPages } from './browser-pages';

/** The pages on which a retailer's staff set up webhooks and monitor their deliveries. */
const { page, form } = portalPages;

const given = (description: string) => z.string().optional().describe(description);

const params = z.object({
  id: text({
    max: 64,
    description: 'The id of the endpoint; `new` for one that does not exist yet.',
    example: '6a1f3c2b9d4e5f60718293a4',
  }),
});

export const portalWebhooks = page({
  name: 'portal-webhooks',
  summary: 'webhook endpoints',
  path: '/portal/webhooks',
  query: z.object({ older: pageCursor(64), done: doneParameter }),
});

export const portalWebhook = page({
  name: 'portal-webhook',
  summary: 'a webhook endpoint with its deliveries',
  path: '/portal/webhooks/{id}',
  params,
  query: z.object({ older: pageCursor(128), done: doneParameter }),
});

export const portalWebhookForm = form({
  name: 'portal-webhook-form',
  summary: 'change a webhook endpoint',
  path: '/portal/webhooks/{id}',
  params,
  body: z.object({
    csrf,
    action: z
      .enum(['run', 'save', 'test', 'rotate', 'recover', 'replay', 'delete'])
      .describe(
        'Whether to count the receipts that match the filter, save the endpoint, send a test event, rotate the secret, send missed events, replay a delivery, or delete the endpoint.',
      ),
    url: given('The URL of the endpoint.'),
    description: given('A note about the endpoint.'),
    event_types: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Event types, or globs that are separated by spaces.'),
    filter: given('A query that receipts must match.'),
    payload: given('`thin` or `full`.'),
    ordering: given('`none` or `subject`.'),
    enabled: given('`true` or `false`.'),
    since: given('The day from which missed events are sent.'),
    delivery: given('The id of the delivery to replay.'),
  }),
});
