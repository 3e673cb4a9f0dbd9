import { ingestContracts, type RawDataSelection } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { DiscardedRawData } from '../storage/discarded-raw-data';

export interface DiscardUnneededRawDataDependencies {
  readonly discarded: Pick<DiscardedRawData, 'neededReceipts' | 'neededAttachments'>;
  readonly ask: Broker['ask'];
}

interface Discarding {
  readonly selection: RawDataSelection;
  /** Attachments to be deleted besides those that ingest finds. */
  readonly attachments?: readonly string[];
  /** Whether packets that a receipt needs lose their identifier. */
  readonly anonymizes?: boolean;
}

interface Discarded {
  /** The number of packets found. */
  readonly count: number;
  /** False if something that was found could not be deleted yet. */
  readonly isDeleted: boolean;
  /** False if it could not be deleted, or was not found, yet. */
  readonly isComplete: boolean;
  /** The position of the next page, null at the end. */
  readonly next: string | null;
}

const refOf = ({ id, version }: { readonly id: string; readonly version: number }) => ({ id, version });

/** Deletes those of the selected packets and attachments in ingest that no receipt needs. It can be repeated. */
export async function discardUnneededRawData(
  { discarded, ask }: DiscardUnneededRawDataDependencies,
  { selection, attachments = [], anonymizes = false }: Discarding,
  call: Call,
): Promise<Discarded> {
  const found = (await ask(ingestContracts.findRawData, { body: selection }, call)).body;
  const receipts = found.packets.flatMap((packet) => packet.receipts);
  const neededReceipts = new Set(await discarded.neededReceipts(call.retailer, receipts, call));
  const isNeeded = (packet: { readonly receipts: readonly string[] }) =>
    packet.receipts.some((id) => neededReceipts.has(id));
  const unneeded = found.packets.filter((packet) => !isNeeded(packet));
  const attached = unneeded.flatMap((packet) => packet.attachments);
  const candidates = [...new Set([...attachments, ...found.attachments, ...attached])];
  const neededAttachments = new Set(await discarded.neededAttachments(call.retailer, candidates, call));
  const body = {
    packets: unneeded.map(refOf),
    attachments: candidates.filter((id) => !neededAttachments.has(id)),
    anonymized: anonymizes ? found.packets.filter(isNeeded).map(refOf) : [],
  };
  const isNothing = Object.values(body).every((ids) => ids.length === 0);
  const isDeleted = isNothing || (await ask(ingestContracts.discardRawData, { body }, call)).body.is_complete;
  return {
    count: found.packets.length,
    isDeleted,
    isComplete: isDeleted && found.is_complete,
    next: found.next,
  };
}
