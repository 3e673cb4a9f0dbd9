import {
  addConvertedReceipts,
  finishPacket,
  type convertPacket as contract,
  type FailureReason,
  type PostedReceipt,
} from '@receipts/contracts';
import type { Call, Handler, Input } from '@receipts/kernel';
import { checkReceipts } from '../domain/check-receipts';
import { chooseMapping, type PacketTraits } from '../domain/choose-mapping';
import { faultOf, type ConversionFault } from '../domain/conversion-fault';
import { receiptId } from '../domain/receipt-ids';
import { serviceCall } from '../domain/service-call';
import { slowJobMs } from '../sandbox/sandbox';
import type { ActiveMapping } from '../storage/active-mappings';
import type { Parts } from './parts';

type Packet = Input<typeof contract>['params'];

interface Outcome {
  readonly receiptIds: readonly string[];
  readonly mapping: { readonly id: string; readonly version: number } | null;
  readonly failure: { readonly reason: FailureReason; readonly errors: readonly ConversionFault[] } | null;
}

/**
 * A retailer whose packets need much of a processor and whose work would take longer than this gives way: its packet is left
 * to ingest, which keeps it and orders it again later. Otherwise a flood of packets that run into their time limit would
 * fill the queue that all share. A machine that is busy with other things makes nobody give way.
 */
const backlogMsMax = 20_000;

/** How long the receipt store may take; then the whole order is delivered again. */
const storePatienceMs = 10_000;
const finishPatienceMs = 30_000;
/** More faults than this are not kept with a packet; a dry run shows them all. */
const faultsKeptMax = 100;

function givesWay({ sandbox }: Parts, retailer: string): boolean {
  return sandbox.averageMs(retailer) > slowJobMs && sandbox.backlogMs(retailer) > backlogMsMax;
}

async function findMapping(parts: Parts, packet: Packet, call: Call): Promise<ActiveMapping | undefined> {
  const traits: PacketTraits = { contentType: packet.packetContentType, metadata: packet.metadata };
  const waiter = { deadline: parts.now().getTime() + storePatienceMs };
  const found = chooseMapping(await parts.activeMappings.of(call.retailer, waiter), traits);
  if (found) return found;
  // It may have been activated a moment ago.
  parts.activeMappings.forget(call.retailer);
  return chooseMapping(await parts.activeMappings.of(call.retailer, waiter), traits);
}

function failed(
  reason: FailureReason,
  errors: readonly ConversionFault[],
  mapping: Outcome['mapping'],
  receiptIds: readonly string[] = [],
): Outcome {
  return { receiptIds, mapping, failure: { reason, errors } };
}

/** @throws Error for a passing failure, so that the order is delivered again. */
async function storeReceipts(
  parts: Parts,
  packet: Packet,
  call: Call,
  receipts: readonly PostedReceipt[],
  mapping: Outcome['mapping'],
): Promise<Outcome> {
  const given = receipts.map((receipt, index) => ({ id: receiptId(packet.id, index), receipt }));
  const { body } = await parts.broker.ask(
    addConvertedReceipts,
    { body: { pos_data_id: packet.id, receipts: given } },
    serviceCall(call, parts.now().getTime(), storePatienceMs),
  );
  const stored: string[] = [];
  const faults: ConversionFault[] = [];
  for (const [index, result] of body.results.entries()) {
    if ('id' in result) stored.push(result.id);
    else {
      const { status, code = 'refused', description, errors } = result.error;
      if (status >= 500) throw new Error(`the receipt store can not store now: ${description}`);
      if (!errors?.length) faults.push(faultOf(`/${index}`, code, description));
      for (const error of errors ?? [])
        faults.push(faultOf(`/${index}${error.path}`, error.code, error.message));
    }
  }
  if (faults.length === 0) return { receiptIds: stored, mapping, failure: null };
  const isDuplicate = faults.some(({ code }) => code === 'duplicate_transaction_id');
  return failed(isDuplicate ? 'duplicate_transaction_id' : 'invalid_receipt', faults, mapping, stored);
}

async function convert(parts: Parts, packet: Packet, bytes: Buffer, call: Call): Promise<Outcome> {
  const active = await findMapping(parts, packet, call);
  if (!active) {
    const name = packet.metadata.mapping;
    const message = name === undefined ? 'no active mapping matches' : 'no active mapping has this name';
    return failed('no_mapping', [faultOf('', 'no_mapping', message)], null);
  }
  const mapping = { id: active.id, version: active.version };
  const outcome = await parts.sandbox.run({
    retailer: call.retailer,
    mapping: active.key,
    rules: active.posted,
    packet: {
      bytes,
      contentType: packet.packetContentType,
      metadata: packet.metadata,
      properties: packet.properties,
      attachments: packet.attachments,
      receivedTimestamp: packet.receivedTimestamp,
    },
  });
  if (outcome.failure) return failed(outcome.failure.reason, outcome.failure.faults, mapping);
  const { receipts, faults } = checkReceipts(JSON.parse(outcome.json ?? '[]') as unknown[]);
  if (faults.length > 0) return failed('invalid_receipt', faults, mapping);
  return storeReceipts(parts, packet, call, receipts, mapping);
}

/** Converts a packet and tells ingest what became of it. Doing it twice does no harm. */
export function convertPacket(parts: Parts): Handler<typeof contract> {
  return async ({ params: packet, body: bytes }, call) => {
    if (givesWay(parts, call.retailer)) {
      parts.countOutcome('postponed');
      return {};
    }
    const outcome = await convert(parts, packet, bytes, call);
    parts.countOutcome(outcome.failure?.reason ?? 'converted');
    await parts.broker.send(
      finishPacket,
      {
        body: {
          id: packet.id,
          attempt: packet.attempt,
          receiptIds: [...outcome.receiptIds],
          mapping: outcome.mapping,
          failure: outcome.failure && {
            reason: outcome.failure.reason,
            errors: outcome.failure.errors
              .slice(0, faultsKeptMax)
              .map(({ path, code, message }) => ({ path, code, message })),
          },
        },
      },
      serviceCall(call, parts.now().getTime(), finishPatienceMs),
    );
    return {};
  };
}
