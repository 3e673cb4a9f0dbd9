import type { ConversionOutcome, FailureReason, PacketToConvert, PostedReceipt } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import { checkReceipts } from '../domain/check-receipts';
import { chooseMapping, type PacketTraits } from '../domain/choose-mapping';
import { faultOf, type ConversionFault } from '../domain/faults/conversion-fault';
import type { ActiveMapping } from '../storage/active-mappings';
import type { Dependencies } from './dependencies';
import { zoneOfStore } from './zone-of-store';

/** The timeout of reading mappings. When it expires, the whole packet is retried. */
const databaseTimeoutMs = 10_000;
/** The maximum number of errors stored with a packet; a dry run shows all of them. */
const storedFaultsMax = 100;

async function findMapping(
  deps: Dependencies,
  packet: PacketToConvert,
  bytes: Buffer,
  call: Call,
): Promise<ActiveMapping | undefined> {
  const traits: PacketTraits = { contentType: packet.packetContentType, bytes, metadata: packet.metadata };
  const timeLimit = { deadline: deps.now().getTime() + databaseTimeoutMs };
  const found = chooseMapping(await deps.activeMappings.of(call.retailer, timeLimit), traits);
  if (found) return found;
  // The mapping may just have been activated.
  deps.activeMappings.forget(call.retailer);
  return chooseMapping(await deps.activeMappings.of(call.retailer, timeLimit), traits);
}

function failed(
  reason: FailureReason,
  faults: readonly ConversionFault[],
  mapping: ConversionOutcome['mapping'],
): ConversionOutcome {
  const errors = faults.slice(0, storedFaultsMax).map(({ path, code, message, part }) => ({
    path,
    code,
    message,
    ...(part !== undefined && { part }),
  }));
  return { receiptIds: [], mapping, failure: { reason, errors } };
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

/** A packet with receipts that receipt-store is to store. */
export interface Converted {
  readonly mapping: NonNullable<ConversionOutcome['mapping']>;
  /** The receipts, each as JSON. */
  readonly texts: readonly string[];
  readonly partsOfReceipts: readonly number[];
}

/**
 * Converts a packet. Repeating the conversion is safe.
 * @returns the receipts, or the outcome of a packet without receipts
 * @throws Error for a temporary failure, so that the packet is retried
 */
export async function convert(
  deps: Dependencies,
  packet: PacketToConvert,
  bytes: Buffer,
  call: Call,
): Promise<Converted | ConversionOutcome> {
  const active = await findMapping(deps, packet, bytes, call);
  if (!active) {
    const name = packet.metadata.mapping;
    const message = name === undefined ? 'no active mapping matches' : 'no active mapping has this name';
    return failed('no_mapping', [faultOf('', 'no_mapping', message)], null);
  }
  const mapping = { id: active.id, version: active.version };
  const storeZone = await zoneOfStore(deps, active.posted, packet.metadata, call);
  const outcome = await deps.sandbox.run({
    retailer: call.retailer,
    mapping: active.key,
    rules: active.posted,
    deadline: Infinity,
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
  return { mapping, texts: textsOf(json, given, receipts), partsOfReceipts };
}
