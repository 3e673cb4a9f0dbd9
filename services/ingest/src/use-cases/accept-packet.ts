import { acceptPacket as contract, readPacketFacts, unknownAttachment } from '@receipts/contracts';
import { ServiceError, type Call, type Handler, type Input } from '@receipts/kernel';
import { requestKeyOf } from '@receipts/storage';
import type { NewPacket } from '../domain/new-packet';
import type { Parts } from './parts';
import { storePacket } from './store-packet';

type Contract = typeof contract;

/** True when the till waits for our answer, because it depends on what is stored; otherwise the broker's confirm was enough. */
function isAwaited(
  { metadata, attachments }: Pick<NewPacket, 'metadata' | 'attachments'>,
  call: Call,
): boolean {
  return metadata.external_id !== undefined || call.idempotencyKey !== undefined || attachments.length > 0;
}

/** A till that only waits for the broker was promised the id of the message; one that waits for us is told its id. */
function idOf({ allotter, now }: Parts, call: Call, awaited: boolean): string {
  if (!awaited || allotter.isAllotted(call.id, call.retailer)) return call.id;
  return allotter.allot(call.retailer, now().getTime());
}

async function refuseUnknownAttachments(parts: Parts, packet: NewPacket): Promise<void> {
  const ids = new Set(packet.attachments.map(({ id }) => id));
  if (ids.size === 0) return;
  const found = await parts.attachments.linkable(packet.call, [...ids]);
  if (found.length < ids.size) throw new ServiceError(unknownAttachment);
}

function packetOf(parts: Parts, input: Input<Contract>, call: Call) {
  const facts = readPacketFacts(input.query.free, input.headers.free);
  const awaited = isAwaited(facts, call);
  const receivedAt = parts.now();
  const packet: NewPacket = {
    ...facts,
    id: idOf(parts, call, awaited),
    call,
    bytes: input.body,
    contentType: input.contentType ?? null,
    receivedAt,
    request: requestKeyOf(contract, input, call, receivedAt),
  };
  return { packet, awaited };
}

/**
 * Takes a raw receipt. The broker holds it until it is converted and written down; one whose sender waits is written down
 * first and converted afterwards.
 */
export function acceptPacket(parts: Parts): Handler<Contract> {
  return async (input, call) => {
    const { packet, awaited } = packetOf(parts, input, call);
    await refuseUnknownAttachments(parts, packet);
    const outcome = awaited ? undefined : await parts.arrivals.outcomeOf(packet);
    const { id, replayed } = await storePacket(parts, packet, outcome);
    return { meta: { id }, ...(replayed && { replayed }) };
  };
}
