import { unknownCursorIn, listPage, pageCountDefault, checkWholeRetailer } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint } from '../../endpoint';
import { endpointOf } from '../domain/endpoint';
import type { WebhookParts } from './webhook-parts';

export function listWebhookEndpoints(parts: WebhookParts): Endpoint<'listWebhookEndpoints'> {
  return async ({ query: { count = pageCountDefault, older } }, call) => {
    checkWholeRetailer(call);
    const { retailer } = call;
    const signal = deadlineSignal(call);
    const before = older === undefined ? undefined : await parts.endpoints.find(retailer, older, signal);
    if (older !== undefined && !before) throw unknownCursorIn('older');
    const found = await parts.endpoints.page(retailer, before, count + 1, signal);
    const { entries, links } = listPage(found, count, '/webhooks/endpoints', ({ id }) => id);
    const failing = await parts.endpointLeases.failingOf(
      entries.map(({ id }) => id),
      signal,
    );
    const endpoints = entries.map((record) => endpointOf(record, failing.get(record.id) ?? null));
    return { body: { endpoints, _links: links } };
  };
}
