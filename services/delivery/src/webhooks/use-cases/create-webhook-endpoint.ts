import { tooManyWebhookEndpoints, type PostedWebhookEndpoint } from '@receipts/contracts';
import { type Call, ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { endpointOf, newEndpoint, settingsOf, type EndpointRecord } from '../domain/endpoint';
import { endpointsMax } from '../storage/webhook-endpoints';
import {
  checkEndpoint,
  newSecret,
  presentSecret,
  type Listen,
  type WebhookDependencies,
} from './webhook-dependencies';

export function createWebhookEndpoint(
  deps: WebhookDependencies,
  listen: Listen,
): HandlerOf<'createWebhookEndpoint'> {
  return async ({ body }, call) => {
    // The endpoint's id is that of the call, so a retried call finds the endpoint.
    const earlier = await deps.endpoints.find(call.retailer, call.id, deadlineSignal(call));
    const endpoint = earlier ?? (await addEndpoint(body, call, deps));
    // Only now are all later events certain to arrive, so the caller can get its reply.
    await listen({ isNew: true });
    return {
      body: { ...endpointOf(endpoint, null), secret: presentSecret(endpoint, deps.sealer) },
      meta: { id: endpoint.id },
    };
  };
}

async function addEndpoint(
  posted: PostedWebhookEndpoint,
  call: Call,
  deps: WebhookDependencies,
): Promise<EndpointRecord> {
  const { endpoints, eventLog, sealer, target, now } = deps;
  const { id, retailer } = call;
  checkEndpoint(settingsOf(posted), await deps.retailer(retailer, call), target);
  if ((await endpoints.count(retailer, deadlineSignal(call))) >= endpointsMax) {
    throw new ServiceError(tooManyWebhookEndpoints);
  }
  const { position: readUpTo } = await eventLog.last(retailer, deadlineSignal(call));
  const facts = { id, retailer, readUpTo, sealedSecret: sealer.seal(newSecret()) };
  return endpoints.add(newEndpoint(facts, posted, now()), deadlineSignal(call));
}
