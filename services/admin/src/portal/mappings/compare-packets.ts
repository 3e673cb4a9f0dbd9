import { isDeepStrictEqual } from 'node:util';
import {
  ingestContracts,
  type MappingDocument,
  type PacketView,
  type PostedMapping,
} from '@receipts/contracts';
import { jsonPointer } from '@receipts/kernel';
import type { Portal } from '../open-portal';
import { checkPermission, type SignedIn } from '../signed-in';
import { activeVersion } from './active-version';
import type { Fault } from './draft';
import { dryRun } from './try-mapping';

const packetsMax = 100;
const atOnce = 4;
const differencesMax = 5;

/** How a draft converts a packet that the active version also converts, or failed to convert. */
export interface Comparison {
  readonly packet: Pick<PacketView, 'id' | 'received_timestamp' | 'status'>;
  readonly faults: readonly Fault[];
  /** The pointers of values that differ from those of the active version. */
  readonly differences: readonly string[];
}

type Free = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Free => typeof value === 'object' && value !== null;

/** The pointers at which two values differ. */
export function differingPaths(before: unknown, after: unknown, path = ''): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return [path || '/'];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differingPaths(before[key], after[key], `${path}${jsonPointer([key])}`));
}

function postedOf({ version: _version, status: _status, ...posted }: MappingDocument): PostedMapping {
  return posted;
}

async function compared(
  deps: Portal,
  { call }: SignedIn,
  packet: PacketView,
  mappings: { readonly draft: PostedMapping; readonly active: PostedMapping | undefined },
): Promise<Comparison> {
  const { id, received_timestamp, status } = packet;
  const bytes = (await deps.ask(ingestContracts.getPacketRaw, { params: { id } }, call)).body;
  const slip = { bytes, contentType: packet.content_type ?? '', packet };
  const after = await dryRun(deps, mappings.draft, slip, call);
  const before = mappings.active && (await dryRun(deps, mappings.active, slip, call));
  const differences =
    before && after.errors.length === 0 ? differingPaths(before.receipts, after.receipts) : [];
  return {
    packet: { id, received_timestamp, status },
    faults: after.errors.slice(0, 1),
    differences: differences.slice(0, differencesMax),
  };
}

export interface PacketComparisons {
  readonly comparisons: readonly Comparison[];
  readonly hasActive: boolean;
}

/** Runs a draft on the latest packets that its mapping converted, or that failed with it or without a mapping. */
export async function compareWithPackets(
  deps: Portal,
  who: SignedIn,
  draft: PostedMapping,
): Promise<PacketComparisons> {
  checkPermission(who, 'view.get_packet');
  const query = { count: packetsMax };
  const [{ body }, found] = await Promise.all([
    deps.ask(ingestContracts.listPackets, { query }, who.call),
    activeVersion(deps, who, draft.id),
  ]);
  const active = found && postedOf(found);
  const own = body.packets.filter(
    ({ mapping, reason }) => mapping?.id === draft.id || reason === 'no_mapping',
  );
  const results: Comparison[] = [];
  for (let at = 0; at < own.length; at += atOnce) {
    const batch = own.slice(at, at + atOnce);
    results.push(
      ...(await Promise.all(batch.map((packet) => compared(deps, who, packet, { draft, active })))),
    );
  }
  return { comparisons: results, hasActive: active !== undefined };
}
