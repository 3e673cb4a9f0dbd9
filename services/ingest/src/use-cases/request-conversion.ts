import { convertPacket } from '@receipts/contracts';
import { causedCall } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { packetToConvert } from '../domain/packet-to-convert';
import { bytesOf, type PacketDocument } from '../storage/packet-document';

/** Limits the wait for the broker's confirmation. The reply itself is not awaited. */
const confirmTimeoutMs = 30_000;

export interface ConversionRequestParts {
  readonly broker: Pick<Broker, 'sendRaw'>;
  readonly now: () => Date;
}

/** Requests the conversion of a stored packet. Resolves when the broker has confirmed the message. */
export async function requestConversion(
  { broker, now }: ConversionRequestParts,
  document: PacketDocument,
): Promise<void> {
  if (document.status !== 'accepted' || !document.raw) return;
  const cause = {
    id: document._id,
    requestId: document.requestId,
    retailer: document.retailer,
    traceparent: document.traceparent,
    consumers: document.confinedTo,
  };
  const { params, body } = packetToConvert({
    ...document,
    id: document._id,
    bytes: bytesOf(document.raw),
    properties: JSON.parse(document.properties) as Record<string, string>,
  });
  const call = causedCall('ingest', cause, now().getTime(), confirmTimeoutMs);
  await broker.sendRaw(convertPacket, { params: { ...params, attempt: document.attempts }, body }, call);
}
