import { timestampOf, type EventRecord } from '@receipts/kernel';
import { Webhook } from 'standardwebhooks';

/** What an event's body is made of, and the trace that it belongs to. */
export type MessageEvent = Pick<EventRecord, 'id' | 'type' | 'time' | 'data' | 'traceparent'>;

const withoutReceipt = (data: unknown): unknown => {
  if (typeof data !== 'object' || data === null || !('receipt' in data)) return data;
  const { receipt: _receipt, ...facts } = data;
  return facts;
};

/** The body of a Standard Webhooks message. `thin` leaves out the receipt in full. */
export function messageBody({ type, time, data }: MessageEvent, payload: 'thin' | 'full'): string {
  const timestamp = timestampOf(new Date(time));
  return JSON.stringify({ type, timestamp, data: payload === 'full' ? data : withoutReceipt(data) });
}

/**
 * The headers of a message, signed with every secret: during a rotation the receiver may know either.
 * @param secrets `whsec_...`, the newest first
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
