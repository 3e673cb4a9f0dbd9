import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { messageBody } from '../domain/message';
import { namedEndpoint, type WebhookDependencies } from './webhook-dependencies';

/** The maximum length of a body, so that a page with large receipts stays small. */
const charactersMax = 10_000;

const shortened = (text: string) =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;

/** Composes the bodies again from the stored events, so that erased personal data does not appear in them. */
export function findWebhookBodies(deps: WebhookDependencies): HandlerOf<'findWebhookBodies'> {
  const { webhookDeliveries, eventLog } = deps;
  return async ({ body: { endpoint_id, ids } }, call) => {
    const { id: endpointId, retailer, settings } = await namedEndpoint(deps, endpoint_id, call);
    const signal = deadlineSignal(call);
    const bodyOf = async (id: string): Promise<string | null> => {
      const delivery = await webhookDeliveries.find(retailer, id, signal);
      if (delivery?.endpointId !== endpointId) return null;
      const event = delivery.event ?? (await eventLog.find(retailer, delivery.eventId, signal));
      return event ? shortened(messageBody(event, settings.payload)) : null;
    };
    return { body: { bodies: await Promise.all(ids.map(bodyOf)) } };
  };
}
