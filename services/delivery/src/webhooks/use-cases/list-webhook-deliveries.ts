import {
  globMatches,
  integratorEvents,
  unknownCursorIn,
  type WebhookDelivery,
  listPage,
  pageCountDefault,
} from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { testType, type WebhookDeliveryDocument } from '../storage/webhook-delivery-document';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

const knownTypes = [...integratorEvents.map(({ type }) => type), testType];

function deliveryOf(document: WebhookDeliveryDocument): WebhookDelivery {
  const { _id: id, endpointId, eventId, type, status, reason, attempts, dueAt, log } = document;
  return {
    id,
    endpoint_id: endpointId,
    event_id: eventId,
    type,
    status,
    reason,
    attempts,
    next_attempt_timestamp: dueAt ? timestampOf(dueAt) : null,
    created_timestamp: timestampOf(document.createdAt),
    updated_timestamp: timestampOf(document.updatedAt),
    log: [...log],
  };
}

export function listWebhookDeliveries(deps: WebhookDependencies): HandlerOf<'listWebhookDeliveries'> {
  return async ({ params, query }, call) => {
    const { retailer, id: endpointId } = await namedEndpoint(deps, params.id, call);
    const { status, type, count = pageCountDefault, older } = query;
    const signal = deadlineSignal(call);
    const before =
      older === undefined ? undefined : await deps.webhookDeliveries.find(retailer, older, signal);
    if (older !== undefined && before?.endpointId !== endpointId) throw unknownCursorIn('older');
    const types = type === undefined ? undefined : knownTypes.filter((known) => globMatches(type, known));
    const which = { status, types, before: before?.order };
    const found = await deps.webhookDeliveries.page({ retailer, endpointId }, which, count + 1, signal);
    const path = `/webhooks/endpoints/${endpointId}/deliveries`;
    const { entries, links } = listPage(found.map(deliveryOf), count, path, ({ id }) => id, { status, type });
    return { body: { deliveries: entries, _links: links } };
  };
}
