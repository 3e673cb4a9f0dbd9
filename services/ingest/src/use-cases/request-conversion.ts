import { convertPacket } from '@receipts/contracts';
import { causedCall, ServiceError, timestampOf, unavailable } from '@receipts/kernel';
import { bytesOf, eventOfArrival, type PacketDocument } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

/** Limits the wait for the broker's confirmation. */
const confirmTimeoutMs = 5_000;

type RequestDependencies = Pick<Dependencies, 'arrivals' | 'broker' | 'now'>;

/**
 * Publishes the first event of a stored packet, and then requests its conversion. So whatever follows from the request
 * finds the event published, and a repeated request repeats it. An attempt to convert the packet again needs no event,
 * because it follows an earlier outcome. Resolves when the broker has confirmed both.
 */
export async function requestConversion(
  { arrivals, broker, now }: RequestDependencies,
  document: PacketDocument,
): Promise<void> {
  const { _id: id, status, raw, receiptId, contentType, metadata, properties, attachments } = document;
  const { requestId, retailer, traceparent, confinedTo: consumers, attempts, receivedAt } = document;
  if (status !== 'accepted' || !raw) return;
  if (attempts === 1 && !(await arrivals.publish(eventOfArrival(document))))
    throw new ServiceError(unavailable, { internal: 'the broker has not confirmed the event of the packet' });
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
