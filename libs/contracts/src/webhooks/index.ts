import { createWebhookEndpoint } from './create-webhook-endpoint';
import { deleteWebhookEndpoint } from './delete-webhook-endpoint';
import { getWebhookEndpoint } from './get-webhook-endpoint';
import { listTroubledWebhookEndpoints } from './list-troubled-webhook-endpoints';
import { listWebhookDeliveries } from './list-webhook-deliveries';
import { listWebhookEndpoints } from './list-webhook-endpoints';
import { listWebhookEventTypes } from './list-webhook-event-types';
import { patchWebhookEndpoint } from './patch-webhook-endpoint';
import { recoverWebhookEndpoint } from './recover-webhook-endpoint';
import { replayWebhookDelivery } from './replay-webhook-delivery';
import { rotateWebhookSecret } from './rotate-webhook-secret';
import { testWebhookEndpoint } from './test-webhook-endpoint';

export { disabledReasons, webhookEvents } from './events';
export { globMatches, integratorEvents, isKnownEventGlob } from './event-types';
export {
  consumerNotAllowed,
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
export const webhookContracts = {
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  patchWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  replayWebhookDelivery,
  recoverWebhookEndpoint,
  listWebhookEventTypes,
  listTroubledWebhookEndpoints,
};
