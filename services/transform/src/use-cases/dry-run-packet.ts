import { ingestContracts, type PacketView, type dryRunPacket as contract } from '@receipts/contracts';
import { delegatedCall, type Call, type Handler } from '@receipts/kernel';
import { dryRun } from './dry-run-mapping';
import type { Dependencies } from './dependencies';

const shownBytesMax = 64 * 1024;
const mappingsMax = 100;

/** The beginning of the content, if it is text. */
function textOf(bytes: Buffer): { text: string | null; is_whole: boolean } {
  const isWhole = bytes.length <= shownBytesMax;
  try {
    // Truncation may split a character, whose bytes are then ignored.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return {
      text: decoder.decode(bytes.subarray(0, shownBytesMax), { stream: !isWhole }),
      is_whole: isWhole,
    };
  } catch {
    return { text: null, is_whole: isWhole };
  }
}

/** The packet as the mapping received it. */
const sampleOf = (packet: PacketView, mapping: string, bytes: Buffer) => ({
  mapping,
  input_base64: bytes.toString('base64'),
  ...(packet.content_type !== null && { content_type: packet.content_type }),
  properties: packet.properties,
  metadata: packet.metadata,
});

/** A dry run on a till's packet, for the operator. */
export function dryRunPacket(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, body }, call) => {
    // The packet is requested on behalf of the retailer, so that packets of other retailers are not found.
    const own: Call = { ...delegatedCall('transform', call, deps.now().getTime()), retailer: params.id };
    const named = { params: { id: params.packet_id } };
    const [{ body: packet }, { body: bytes }, known] = await Promise.all([
      deps.broker.ask(ingestContracts.getPacket, named, own),
      deps.broker.ask(ingestContracts.getPacketRaw, named, own),
      deps.mappings.listHeads(params.id, undefined, own),
    ]);
    const mappings = known.slice(0, mappingsMax).map(({ id }) => id);
    const usual = packet.mapping?.id ?? packet.metadata.mapping;
    const mapping = body.mapping ?? (usual !== undefined && mappings.includes(usual) ? usual : undefined);
    const sample = mapping === undefined ? undefined : sampleOf(packet, mapping, bytes);
    const tried = sample ? await dryRun(deps, sample, own) : null;
    return {
      body: { packet, raw: textOf(bytes), mapping: mapping ?? null, dry_run: tried, mappings },
    };
  };
}
