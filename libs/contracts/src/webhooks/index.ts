import * as contracts from './contracts';

export { disabledReasons, webhookEvents } from './events';
export { globMatches, integratorEvents, isKnownEventGlob } from './event-types';
export {
  postedEndpoint,
  tooManyWebhookEndpoints,
  webhookEndpointNotFound,
  webhookEndpointSettings,
  type PostedWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointSettings,
} from './endpoint';
export {
  webhookDeliveryInProgress,
  webhookDeliveryNotFound,
  webhookEndpointIsDisabled,
  webhookEventExpired,
  type WebhookDelivery,
  type WebhookDeliveryStatus,
} from './webhook-delivery';

/** The commands and queries of webhooks. They are served by delivery. */
export const webhookContracts = { ...contracts };
