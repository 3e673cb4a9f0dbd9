import { convertPacket } from '@receipts/contracts';
import { causedCall, ServiceError, timestampOf, unavailable } from '@receipts/kernel';
import { bytesOf, acceptedEventOf, type PacketDocument } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

/** Limits the wait for the broker's confirmation. */
const confirmTimeoutMs = 5_000;

type RequestDependencies = Pick<Dependencies, 'broker' | 'now'>;

/** Publishes the first event of a packet. Resolves with true once the broker has confirmed it. */
async function publishAccepted({ broker }: RequestDependencies, document: PacketDocument): Promise<boolean> {
  const [isConfirmed] = await broker.publish([acceptedEventOf(document)]);
  return isConfirmed === true;
}

/**
 * Requests the conversion of a stored packet once its first event is published. So whatever follows from the request
 * finds the event published, and a repeated request repeats it. An attempt to convert the packet again needs no event,
 * because it follows an earlier outcome. Resolves when the broker has confirmed both.
 * @param isPublished whether the broker has confirmed the first event; if absent, it is published here
 */
export async function requestConversion(
  deps: RequestDependencies,
  document: PacketDocument,
  isPublished?: Promise<boolean>,
): Promise<void> {
  const { _id: id, status, raw, receiptId, contentType, metadata, properties, attachments } = document;
  const { requestId, retailer, traceparent, confinedTo: consumers, attempts, receivedAt } = document;
  if (status !== 'accepted' || !raw) return;
  if (attempts === 1 && !(await (isPublished ?? publishAccepted(deps, document))))
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
  const call = causedCall('ingest', cause, deps.now().getTime(), confirmTimeoutMs);
  await deps.broker.send(convertPacket, { params, body: bytesOf(raw) }, call);
}

/** Like `requestConversion`, but leaves a request that fails to the sweep. */
export async function tryToRequestConversion(
  deps: Pick<Dependencies, 'log'> & RequestDependencies,
  document: PacketDocument,
  isPublished?: Promise<boolean>,
): Promise<void> {
  try {
    await requestConversion(deps, document, isPublished);
  } catch (error) {
    deps.log.warn('a conversion could not be requested', { error });
  }
}
