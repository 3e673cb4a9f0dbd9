import { idempotent } from '@receipts/host/open-service';
import { createWebhookEndpoint } from './create-webhook-endpoint';
import { deleteWebhookEndpoint } from './delete-webhook-endpoint';
import { findInvalidatedFilters } from './find-invalidated-filters';
import { findWebhookBodies } from './find-webhook-bodies';
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
import type { Listen, WebhookDependencies } from './webhook-dependencies';

/** @param listen called for a new endpoint */
export const webhookHandlers = (deps: WebhookDependencies, listen: Listen) => ({
  createWebhookEndpoint: idempotent(createWebhookEndpoint(deps, listen), 'secret'),
  listWebhookEndpoints: listWebhookEndpoints(deps),
  getWebhookEndpoint: getWebhookEndpoint(deps),
  patchWebhookEndpoint: patchWebhookEndpoint(deps),
  deleteWebhookEndpoint: deleteWebhookEndpoint(deps),
  rotateWebhookSecret: idempotent(rotateWebhookSecret(deps), 'secret'),
  testWebhookEndpoint: idempotent(testWebhookEndpoint(deps)),
  listWebhookDeliveries: listWebhookDeliveries(deps),
  findInvalidatedFilters: findInvalidatedFilters(deps),
  findWebhookBodies: findWebhookBodies(deps),
  replayWebhookDelivery: idempotent(replayWebhookDelivery(deps)),
  recoverWebhookEndpoint: idempotent(recoverWebhookEndpoint(deps)),
  listWebhookEventTypes: listWebhookEventTypes(),
  listTroubledWebhookEndpoints: listTroubledWebhookEndpoints(deps),
});
