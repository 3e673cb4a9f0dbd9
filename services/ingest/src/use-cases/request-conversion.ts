import { convertPacket } from '@receipts/contracts';
import { causedCall, timestampOf } from '@receipts/kernel';
import { bytesOf, type PacketDocument } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

/** Limits the wait for the broker's confirmation. */
const confirmTimeoutMs = 5_000;

type RequestDependencies = Pick<Dependencies, 'broker' | 'now'>;

/** Requests the conversion of a stored packet. Resolves when the broker has confirmed the message. */
export async function requestConversion(
  { broker, now }: RequestDependencies,
  document: PacketDocument,
): Promise<void> {
  const { _id: id, status, raw, receiptId, contentType, metadata, properties, attachments } = document;
  if (status !== 'accepted' || !raw) return;
  const { requestId, retailer, traceparent, confinedTo: consumers, attempts, receivedAt } = document;
  const params = {
    id,
    attempt: attempts,
    ...(receiptId !== undefined && { receiptId }),
    packetContentType: contentType,
    metadata,
    properties: JSON.parse(properties) as Record<string, string>,
    attachments: [...attachments],
    receivedTimestamp: timestampOf(receivedAt),
  };
  const cause = { id, requestId, retailer, traceparent, consumers };
  const call = causedCall('ingest', cause, now().getTime(), confirmTimeoutMs);
  await broker.sendRaw(convertPacket, { params, body: bytesOf(raw) }, call);
}

/** Like `requestConversion`, but leaves a request that fails to the sweep. */
export async function tryToRequestConversion(
  deps: Pick<Dependencies, 'log'> & RequestDependencies,
  document: PacketDocument,
): Promise<void> {
  try {
    await requestConversion(deps, document);
  } catch (error) {
    deps.log.warn('a conversion could not be requested', { error });
  }
}
