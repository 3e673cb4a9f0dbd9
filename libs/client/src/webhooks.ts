import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { EventType, ReceiptsEvent } from './events';

/** Endpoints with the payload `thin` do not receive the full receipt. */
type WithOptionalReceipt<D> = D extends { receipt: infer R }
  ? Omit<D, 'receipt'> & { readonly receipt?: R }
  : D;

/** A message to an endpoint. `type` distinguishes the kinds. */
export type WebhookMessage<T extends EventType = EventType> = {
  [K in T]: {
    /** Delivery is at least once: a redelivered event has the same id. */
    readonly id: string;
    readonly type: K;
    readonly timestamp: string;
    readonly data: WithOptionalReceipt<ReceiptsEvent<K>['data']>;
  };
}[T];

function headerOf(headers: Headers | IncomingHttpHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the message in a request to an endpoint, after verifying its signature (Standard Webhooks) and that it is at
 * most five minutes old.
 * @param secret the endpoint's `whsec_...`
 * @param body exactly the bytes received, before any parsing
 * @throws Error if the request does not come from the service; respond with 401
 */
export function verifyWebhook(
  secret: string,
  headers: Headers | IncomingHttpHeaders,
  body: Uint8Array | string,
): WebhookMessage {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]));
  const message = new Webhook(secret).verify(text, signed) as Omit<WebhookMessage, 'id'>;
  return { ...message, id: signed['webhook-id'] } as WebhookMessage;
}
