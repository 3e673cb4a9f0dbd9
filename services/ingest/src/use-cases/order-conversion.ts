import { convertPacket } from '@receipts/contracts';
import { serviceCall } from '../domain/service-call';
import { bytesOf, type PacketDocument } from '../storage/packets';
import type { Parts } from './parts';

/** Nobody waits for the answer; this only bounds how long the broker may take to confirm. */
const patienceMs = 30_000;

/** Gives a packet to conversion. Resolves when the broker has it. */
export async function orderConversion(
  { broker, now }: Pick<Parts, 'broker' | 'now'>,
  document: PacketDocument,
): Promise<void> {
  if (document.status !== 'accepted') return;
  const cause = {
    requestId: document.requestId,
    causationId: document._id,
    retailer: document.retailer,
    traceparent: document.traceparent,
  };
  const params = {
    id: document._id,
    attempt: document.attempts,
    packetContentType: document.contentType,
    metadata: document.metadata,
    properties: JSON.parse(document.properties) as Record<string, string>,
    attachments: [...document.attachments],
    receivedTimestamp: document.receivedAt.toISOString().replace('Z', '+00:00'),
  };
  const call = serviceCall(cause, now(), patienceMs);
  await broker.sendRaw(convertPacket, { params, body: bytesOf(document) }, call);
}
