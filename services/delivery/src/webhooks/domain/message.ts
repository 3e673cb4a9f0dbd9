import { printExactly, timestampOf, type EventRecord } from '@receipts/kernel';
import { Webhook } from 'standardwebhooks';

/** The source of a message's body, and the trace that the event belongs to. */
export type MessageEvent = Pick<EventRecord, 'id' | 'type' | 'time' | 'data' | 'traceparent'>;

const withoutReceipt = (data: unknown): unknown => {
  if (typeof data !== 'object' || data === null || !('receipt' in data)) return data;
  const { receipt: _receipt, ...facts } = data;
  return facts;
};

/** The body of a Standard Webhooks message. `thin` omits the receipt itself. */
export function messageBody(event: MessageEvent, payload: 'thin' | 'full'): string {
  const { type, time, data } = event;
  const timestamp = timestampOf(new Date(time));
  return printExactly({ type, timestamp, data: payload === 'full' ? data : withoutReceipt(data) }, event);
}

/**
 * The headers of a message, with a signature for each secret, because the receiver may know only one of the secrets
 * during a rotation.
 * @param secrets `whsec_...`, newest first
 */
export function messageHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  };
}
