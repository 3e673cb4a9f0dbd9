import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { endpointOf } from '../domain/endpoint';
import type { WebhookDependencies } from './webhook-dependencies';

export function listWebhookEndpoints(deps: WebhookDependencies): HandlerOf<'listWebhookEndpoints'> {
  return async ({ query: { count = pageCountDefault, older } }, call) => {
    const { retailer } = call;
    const signal = deadlineSignal(call);
    const before = older === undefined ? undefined : await deps.endpoints.find(retailer, older, signal);
    if (older !== undefined && !before) throw unknownCursorIn('older');
    const found = await deps.endpoints.page(retailer, before, count + 1, signal);
    const { entries, links } = listPage(found, count, '/webhooks/endpoints', ({ id }) => id);
    const failing = await deps.endpointLeases.failingOf(
      entries.map(({ id }) => id),
      signal,
    );
    const endpoints = entries.map((record) => endpointOf(record, failing.get(record.id) ?? null));
    return { body: { endpoints, _links: links } };
  };
}
