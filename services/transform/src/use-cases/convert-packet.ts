import {
  addConvertedReceipts,
  finishPacket,
  type ConversionOutcome,
  type convertPacket as contract,
  type PacketToConvert,
} from '@receipts/contracts';
import { causedCall, type Call, type Handler } from '@receipts/kernel';
import { receiptId } from '../domain/receipt-ids';
import { slowJobMs } from '../sandbox/sandbox';
import { convert, type Converted } from './convert';
import type { Dependencies } from './dependencies';

/** Limits the wait for the broker's confirmation. */
const confirmTimeoutMs = 30_000;

/**
 * Packets of a retailer with slow packets are postponed while its waiting jobs would take longer than this; ingest
 * requests their conversion again later. Otherwise, packets that run into their time limit could fill the queue that
 * all retailers share. Other load on the machine does not count.
 */
const backlogMsMax = 20_000;

/** True if packets of this retailer are currently postponed. */
export function exceedsBacklog({ sandbox }: Pick<Dependencies, 'sandbox'>, retailer: string): boolean {
  return sandbox.averageMs(retailer) > slowJobMs && sandbox.backlogMs(retailer) > backlogMsMax;
}

/** The receipts are already JSON, so the body is composed instead of being serialized. */
function bodyOf(packet: PacketToConvert, { mapping, texts, partsOfReceipts }: Converted): Buffer {
  const { id, attempt } = packet;
  const receipts = texts.map((text, index) => {
    const head = JSON.stringify({ id: receiptId(packet, index), part: partsOfReceipts[index] ?? 0 });
    return `${head.slice(0, -1)},"receipt":${text}}`;
  });
  const head = JSON.stringify({ pos_data_id: id, attempt, mapping });
  return Buffer.from(`${head.slice(0, -1)},"receipts":[${receipts.join()}]}`);
}

/** Passes the receipts on to receipt-store, or the outcome of a packet without receipts back to ingest. */
async function pass(
  { broker, now }: Dependencies,
  packet: PacketToConvert,
  result: Converted | ConversionOutcome,
  caller: Call,
): Promise<void> {
  const call = causedCall('transform', caller, now().getTime(), confirmTimeoutMs);
  if ('texts' in result) return broker.send(addConvertedReceipts, { body: bodyOf(packet, result) }, call);
  const { id, attempt } = packet;
  return broker.send(finishPacket, { body: { id, attempt, ...result } }, call);
}

/** Converts a packet that ingest has stored. The message waits in the broker until the result is in the next queue. */
export function convertPacket(deps: Dependencies): Handler<typeof contract> {
  return async ({ params: packet, body: bytes }, call) => {
    if (exceedsBacklog(deps, call.retailer)) {
      deps.countPostponed();
      return {};
    }
    await pass(deps, packet, await convert(deps, packet, bytes, call), call);
    return {};
  };
}
