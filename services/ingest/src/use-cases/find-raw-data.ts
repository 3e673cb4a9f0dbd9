import type { findRawData as contract } from '@receipts/contracts';
import {
  ServiceError,
  schemaValidationFailed,
  type Call,
  type Handler,
  type ReceivedReply,
} from '@receipts/kernel';
import { deadlineSignal, inTransitMs } from '@receipts/storage';
import type { PacketWithoutBytes } from '../storage/packet-document';
import type { PacketPosition } from '../storage/packet-deletions';
import type { Dependencies } from './dependencies';

type Found = ReceivedReply<typeof contract>['body'];

const documentsAtOnce = 50;

interface Position extends PacketPosition {
  readonly kind: 'packets' | 'attachments';
}

const begin = { at: new Date(0), id: '' };
const print = ({ kind, at, id }: Position) => JSON.stringify([kind, at.getTime(), id]);

function parse(text: string | null): Position {
  if (text === null) return { kind: 'packets', ...begin };
  const [kind, at, id] = JSON.parse(text) as [Position['kind'], number, string];
  return { kind, at: new Date(at), id };
}

/**
 * Packets that are being converted, or whose event may be on its way with their content, are left for later. An event
 * that is published again after that is generated from what is left of the packet.
 */
function withoutBusy({ now }: Dependencies, packets: readonly PacketWithoutBytes[]): Found {
  const left = packets.filter(({ deletedAt }) => !deletedAt);
  const publishedUntil = now().getTime() - inTransitMs;
  const ready = left.filter(
    ({ status, updatedAt, outbox = [] }) =>
      status !== 'accepted' && outbox.length === 0 && updatedAt.getTime() <= publishedUntil,
  );
  return {
    packets: ready.map(({ _id: id, version, receiptIds, attachments }) => ({
      id,
      version,
      receipts: [...receiptIds],
      attachments: attachments.map((link) => link.id),
    })),
    attachments: [],
    is_complete: ready.length === left.length,
    next: null,
  };
}

/** A receipt can exist slightly earlier than its packet, so an unknown packet is not complete. */
async function ofReceipts(deps: Dependencies, ids: readonly string[], call: Call): Promise<Found> {
  const named = await deps.packets.findMany(ids, deadlineSignal(call));
  const packets = [...named.values()].filter(({ retailer }) => retailer === call.retailer);
  const found = withoutBusy(deps, packets);
  return { ...found, is_complete: found.is_complete && packets.length === new Set(ids).size };
}

async function ofConsumer(deps: Dependencies, identifier: string, call: Call): Promise<Found> {
  const { packetDeletions } = deps;
  const packets = await packetDeletions.ofConsumer(call.retailer, identifier, documentsAtOnce, call);
  const found = withoutBusy(deps, packets);
  const isConverting = await packetDeletions.isConverting(call.retailer, identifier, call);
  return { ...found, is_complete: found.is_complete && !isConverting };
}

async function arrivedBefore(deps: Dependencies, text: string, after: string | null, call: Call) {
  const before = new Date(text);
  if (Number.isNaN(before.getTime())) throw new ServiceError(schemaValidationFailed);
  let position = parse(after);
  if (position.kind === 'packets') {
    const limits = [before, position, documentsAtOnce, call] as const;
    const packets = await deps.packetDeletions.withoutReceipts(call.retailer, ...limits);
    const last = packets.at(-1);
    if (last) {
      const next = print({ kind: 'packets', at: last.receivedAt, id: last._id });
      return { ...withoutBusy(deps, packets), next };
    }
    position = { kind: 'attachments', ...begin };
  }
  const limits = [before, position, documentsAtOnce, call] as const;
  const found = await deps.attachments.createdBefore(call.retailer, ...limits);
  const last = found.at(-1);
  const next = last ? print({ kind: 'attachments', at: last.createdAt, id: last._id }) : null;
  return { packets: [], attachments: found.map(({ _id }) => _id), is_complete: true, next };
}

/** Finds raw data that may be deleted once no receipt needs it. */
export function findRawData(deps: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => {
    if ('packets' in body) return { body: await ofReceipts(deps, body.packets, call) };
    if ('identifier' in body) return { body: await ofConsumer(deps, body.identifier, call) };
    return { body: await arrivedBefore(deps, body.before, body.after, call) };
  };
}
