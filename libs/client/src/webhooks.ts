import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { EventType, ReceiptsEvent } from './events';

/** Endpoints with the payload `thin` are not sent the full receipt. */
type Sent<D> = D extends { receipt: infer R } ? Omit<D, 'receipt'> & { readonly receipt?: R } : D;

/** What an endpoint is told. `type` tells the kinds apart. */
export type WebhookMessage<T extends EventType = EventType> = {
  [K in T]: {
    /** Delivery is at least once: the same id is the same event. */
    readonly id: string;
    readonly type: K;
    readonly timestamp: string;
    readonly data: Sent<ReceiptsEvent<K>['data']>;
  };
}[T];

function headerOf(headers: Headers | IncomingHttpHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}

/**
 * The message in a request to an endpoint, after a look at its signature (Standard Webhooks) and at its age of at most five
 * minutes.
 * @param secret the endpoint's `whsec_...`
 * @param body exactly the bytes that came, before any parser
 * @throws Error when the request does not come from the service: answer 401
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
