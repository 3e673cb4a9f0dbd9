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
import type { Listen, WebhookParts } from './webhook-parts';

/** @param listen called for a new endpoint */
export const webhookHandlers = (parts: WebhookParts, listen: Listen) => ({
  createWebhookEndpoint: idempotent(createWebhookEndpoint(parts, listen), 'secret'),
  listWebhookEndpoints: listWebhookEndpoints(parts),
  getWebhookEndpoint: getWebhookEndpoint(parts),
  patchWebhookEndpoint: patchWebhookEndpoint(parts),
  deleteWebhookEndpoint: deleteWebhookEndpoint(parts),
  rotateWebhookSecret: idempotent(rotateWebhookSecret(parts), 'secret'),
  testWebhookEndpoint: idempotent(testWebhookEndpoint(parts)),
  listWebhookDeliveries: listWebhookDeliveries(parts),
  findInvalidatedFilters: findInvalidatedFilters(parts),
  findWebhookBodies: findWebhookBodies(parts),
  replayWebhookDelivery: idempotent(replayWebhookDelivery(parts)),
  recoverWebhookEndpoint: idempotent(recoverWebhookEndpoint(parts)),
  listWebhookEventTypes: listWebhookEventTypes(),
  listTroubledWebhookEndpoints: listTroubledWebhookEndpoints(parts),
});
