import {
  acceptPacket as contract,
  hasReceipt,
  readPacketFacts,
  unknownAttachment,
  unknownLink,
  type AllottedLink,
} from '@receipts/contracts';
import { requestKeyOf } from '@receipts/storage';
import { delegatedCall, ServiceError, type Call, type Handler, type Input } from '@receipts/kernel';
import type { NewPacket } from '../domain/new-packet';
import type { Dependencies } from './dependencies';
import { findRepetition, linkTakenBy, storePacket, type StoreOutcome } from './store-packet';

type Contract = typeof contract;

/** If the till waits, an id is assigned. Otherwise the gateway has already responded with the id of the message. */
function idOf({ allotter, now }: Dependencies, call: Call): string {
  if (call.isOneWay || allotter.isAllotted(call.id, call.retailer)) return call.id;
  return allotter.allot(call.retailer, now().getTime());
}

async function refuseUnknownAttachments(deps: Dependencies, packet: NewPacket): Promise<void> {
  const ids = new Set(packet.attachments.map(({ id }) => id));
  if (ids.size === 0) return;
  const found = await deps.attachments.linkable(packet.call, [...ids]);
  if (found.length < ids.size) throw new ServiceError(unknownAttachment);
}

/** @throws ServiceError 422 for a link that was not issued to this retailer */
function openLink({ links }: Dependencies, { metadata }: Pick<NewPacket, 'metadata'>, { retailer }: Call) {
  if (metadata.link === undefined) return undefined;
  const link = links.open(metadata.link, retailer);
  if (!link) throw new ServiceError(unknownLink);
  return link;
}

/** A link that was used does not expire. @throws ServiceError 409 or 422 */
async function refuseUsedLink({ broker, now }: Dependencies, link: AllottedLink, call: Call): Promise<void> {
  const inner = delegatedCall('ingest', call, now().getTime());
  const { body } = await broker.ask(hasReceipt, { body: { receipt_id: link.receiptId } }, inner);
  if (body.exists) throw linkTakenBy(link.receiptId);
  if (link.expiresAtMs <= now().getTime()) throw new ServiceError(unknownLink);
}

function packetOf(deps: Dependencies, input: Input<Contract>, call: Call) {
  const facts = readPacketFacts(input.query.free, input.headers.free);
  const link = openLink(deps, facts, call);
  const receivedAt = deps.now();
  const packet: NewPacket = {
    id: idOf(deps, call),
    ...facts,
    receiptId: link?.receiptId,
    call,
    bytes: input.body,
    contentType: input.contentType ?? null,
    receivedAt,
    request: requestKeyOf(contract, input, call, receivedAt),
  };
  return { packet, link };
}

function noteAgent({ tillAgents }: Dependencies, { agent, metadata, call }: NewPacket): void {
  const { store_reference: store = null, till_uuid: till = null } = metadata;
  if (!agent || (store === null && till === null)) return;
  tillAgents.note(call.retailer, { store, till }, agent, call.at);
}

/**
 * Accepts a packet: stores it, and requests its conversion. If no sender waits, the message stays with the broker
 * until the request does too, so that no more packets are read than can be passed on; or until the request has failed,
 * in which case the sweep repeats it.
 */
export function acceptPacket(deps: Dependencies): Handler<Contract> {
  return async (input, call) => {
    const { packet, link } = packetOf(deps, input, call);
    const repetition = link && (await findRepetition(deps, packet));
    if (repetition) return answerTo(repetition);
    if (link) await refuseUsedLink(deps, link, call);
    await refuseUnknownAttachments(deps, packet);
    const stored = await storePacket(deps, packet);
    noteAgent(deps, packet);
    if (call.isOneWay) await stored.requested;
    return answerTo(stored);
  };
}

const answerTo = ({ id, replayed }: StoreOutcome) => ({
  meta: { id },
  ...(replayed && { replayed }),
});
