import {
  addConvertedReceipts,
  type ConversionOutcome,
  type FailureReason,
  type PacketToConvert,
  type PostedReceipt,
} from '@receipts/contracts';
import { causedCall, ServiceError, unavailable, type Call } from '@receipts/kernel';
import { checkReceipts } from '../domain/check-receipts';
import { chooseMapping, type PacketTraits } from '../domain/choose-mapping';
import { faultOf, inPart, type ConversionFault } from '../domain/faults/conversion-fault';
import { receiptId } from '../domain/receipt-ids';
import { slowJobMs } from '../sandbox/sandbox';
import type { ActiveMapping } from '../storage/active-mappings';
import type { Parts } from './parts';
import { zoneOfStore } from './zone-of-store';

/**
 * Packets of a retailer with slow packets are rejected while its waiting jobs would take longer than this; ingest
 * requests their conversion again later. Otherwise, packets that run into their time limit could fill the queue that
 * all retailers share. Other load on the machine does not count.
 */
const backlogMsMax = 20_000;

/** The timeout of requests to receipt-store. When it expires, the whole packet is retried. */
const databaseTimeoutMs = 10_000;
/** The maximum number of errors stored with a packet; a dry run shows all of them. */
const storedFaultsMax = 100;

/** True if packets of this retailer are currently rejected. */
export function exceedsBacklog({ sandbox }: Pick<Parts, 'sandbox'>, retailer: string): boolean {
  return sandbox.averageMs(retailer) > slowJobMs && sandbox.backlogMs(retailer) > backlogMsMax;
}

async function findMapping(
  parts: Parts,
  packet: PacketToConvert,
  bytes: Buffer,
  call: Call,
): Promise<ActiveMapping | undefined> {
  const traits: PacketTraits = { contentType: packet.packetContentType, bytes, metadata: packet.metadata };
  const timeLimit = { deadline: parts.now().getTime() + databaseTimeoutMs };
  const found = chooseMapping(await parts.activeMappings.of(call.retailer, timeLimit), traits);
  if (found) return found;
  // The mapping may just have been activated.
  parts.activeMappings.forget(call.retailer);
  return chooseMapping(await parts.activeMappings.of(call.retailer, timeLimit), traits);
}

function failed(
  reason: FailureReason,
  faults: readonly ConversionFault[],
  mapping: ConversionOutcome['mapping'],
  receiptIds: readonly string[] = [],
): ConversionOutcome {
  const errors = faults.slice(0, storedFaultsMax).map(({ path, code, message, part }) => ({
    path,
    code,
    message,
    ...(part !== undefined && { part }),
  }));
  return { receiptIds: [...receiptIds], mapping, failure: { reason, errors } };
}

/** Most packets contain one valid receipt, which need not be serialized again (9 µs for 1.5 KB). */
function textsOf(
  json: string,
  given: readonly unknown[],
  receipts: readonly PostedReceipt[],
): readonly string[] {
  if (given.length === 1 && receipts[0] === given[0]) return [json.trim().slice(1, -1)];
  return receipts.map((receipt) => JSON.stringify(receipt));
}

/** Names the transaction of a duplicate, because nothing else identifies the receipt. */
function refusalText(code: string, description: string, text = '{}'): string {
  if (code !== 'duplicate_transaction_id') return description;
  const { transaction_id } = JSON.parse(text) as Partial<PostedReceipt>;
  return `${description}: ${transaction_id ?? ''}`;
}

interface Converted {
  /** The receipts, each as JSON. */
  readonly texts: readonly string[];
  readonly partsOfReceipts: readonly number[];
}

/**
 * @throws ServiceError for a temporary failure, so that the packet is retried.
 */
async function storeReceipts(
  parts: Parts,
  packet: PacketToConvert,
  call: Call,
  { texts, partsOfReceipts }: Converted,
  mapping: ConversionOutcome['mapping'],
): Promise<ConversionOutcome> {
  const receipts = texts.map(
    (text, index) => `{"id":${JSON.stringify(receiptId(packet, index))},"receipt":${text}}`,
  );
  const { body } = await parts.broker.ask(
    addConvertedReceipts,
    { body: Buffer.from(`{"pos_data_id":${JSON.stringify(packet.id)},"receipts":[${receipts.join()}]}`) },
    causedCall('transform', call, parts.now().getTime(), databaseTimeoutMs),
  );
  const stored: string[] = [];
  const faults: ConversionFault[] = [];
  for (const [index, result] of body.results.entries()) {
    if ('id' in result) stored.push(result.id);
    else {
      const { status, code = 'refused', description, errors } = result.error;
      // The packet is not at fault, so the command is retried until receipt-store responds.
      if (status >= 500) throw ServiceError.fromWire(result.error);
      const add = (path: string, faultCode: string, message: string) =>
        faults.push(inPart(faultOf(`/${index}${path}`, faultCode, message), partsOfReceipts[index] ?? 0));
      if (!errors?.length) add('', code, refusalText(code, description, texts[index]));
      for (const error of errors ?? []) add(error.path, error.code, error.message);
    }
  }
  if (faults.length === 0) return { receiptIds: stored, mapping, failure: null };
  const isDuplicate = faults.some(({ code }) => code === 'duplicate_transaction_id');
  return failed(isDuplicate ? 'duplicate_transaction_id' : 'invalid_receipt', faults, mapping, stored);
}

/**
 * Converts a packet and requests that its receipts be stored. Repeating the conversion is safe.
 * @param wantedUntilMs epoch milliseconds after which nothing may be stored
 * @throws Error for a temporary failure; the outcome is then unknown.
 */
export async function convert(
  parts: Parts,
  packet: PacketToConvert,
  bytes: Buffer,
  call: Call,
  wantedUntilMs = Infinity,
): Promise<ConversionOutcome> {
  const active = await findMapping(parts, packet, bytes, call);
  if (!active) {
    const name = packet.metadata.mapping;
    const message = name === undefined ? 'no active mapping matches' : 'no active mapping has this name';
    return failed('no_mapping', [faultOf('', 'no_mapping', message)], null);
  }
  const mapping = { id: active.id, version: active.version };
  const storeZone = await zoneOfStore(parts, active.posted, packet.metadata, call);
  const outcome = await parts.sandbox.run({
    retailer: call.retailer,
    mapping: active.key,
    rules: active.posted,
    deadline: wantedUntilMs,
    packet: {
      bytes,
      contentType: packet.packetContentType,
      metadata: packet.metadata,
      properties: packet.properties,
      attachments: packet.attachments,
      receivedTimestamp: packet.receivedTimestamp,
      storeZone,
    },
  });
  if (outcome.failure) return failed(outcome.failure.reason, outcome.failure.faults, mapping);
  const json = outcome.json ?? '[]';
  const given = JSON.parse(json) as readonly unknown[];
  const { partsOfReceipts = [] } = outcome;
  const { receipts, faults } = checkReceipts(given, partsOfReceipts);
  if (faults.length > 0) return failed('invalid_receipt', faults, mapping);
  if (receipts.length === 0) return { receiptIds: [], mapping, failure: null };
  if (parts.now().getTime() >= wantedUntilMs) {
    throw new ServiceError(unavailable, { internal: 'the caller no longer waits' });
  }
  const converted = { texts: textsOf(json, given, receipts), partsOfReceipts };
  return storeReceipts(parts, packet, call, converted, mapping);
}
