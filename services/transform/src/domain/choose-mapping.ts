import type { PacketMetadata, PostedMapping } from '@receipts/contracts';

/** The fields of a mapping that the choice depends on. */
export interface Candidate {
  readonly id: string;
  readonly match: PostedMapping['match'];
}

export interface PacketTraits {
  readonly contentType: string | null;
  readonly bytes: Buffer;
  readonly metadata: Pick<
    PacketMetadata,
    'mapping' | 'till_id' | 'till_uuid' | 'store_reference' | 'source_id'
  >;
}

const anything = 0;
const beginning = 1;
const exact = 2;

function plain(value: string): string {
  const folded = value.trim().toLowerCase();
  return /^\d+$/.test(folded) ? folded.replace(/^0+(?=\d)/, '') : folded;
}

/** How specifically a list of patterns matches one of the values; undefined if none matches. */
function specificity(patterns: readonly string[] | undefined, values: readonly string[]): number | undefined {
  if (patterns === undefined) return anything;
  let best: number | undefined;
  for (const pattern of patterns) {
    let fit: number | undefined;
    if (pattern === '*') fit = anything;
    else if (pattern.endsWith('*')) {
      const start = pattern.slice(0, -1).toLowerCase();
      if (values.some((value) => value.trim().toLowerCase().startsWith(start))) fit = beginning;
    } else if (values.some((value) => plain(value) === plain(pattern))) fit = exact;
    if (fit !== undefined && (best === undefined || fit > best)) best = fit;
  }
  return best;
}

function containment(texts: readonly string[] | undefined, bytes: Buffer): number | undefined {
  if (texts === undefined) return anything;
  return texts.some((text) => bytes.includes(text)) ? exact : undefined;
}

/** The type of data without a Content-Type (RFC 9110, section 8.3). */
const unknownType = 'application/octet-stream';

const given = (...values: (string | null | undefined)[]): string[] =>
  values.filter((value) => value !== undefined && value !== null);

/** The specificity of the match by till, store, source, content type and content, in order of precedence. */
function fitOf(
  { match = {} }: Candidate,
  { contentType, bytes, metadata }: PacketTraits,
): number[] | undefined {
  const mediaType = (contentType ?? unknownType).split(';')[0]?.trim();
  const byMetadata = [
    specificity(match.till_id, given(metadata.till_id, metadata.till_uuid)),
    specificity(match.store_reference, given(metadata.store_reference)),
    specificity(match.source_id, given(metadata.source_id)),
    specificity(match.content_type, given(mediaType)),
  ];
  if (byMetadata.includes(undefined)) return undefined;
  const fit = [...byMetadata, containment(match.contains, bytes)];
  return fit.every((value) => value !== undefined) ? fit : undefined;
}

function isMoreSpecific(fit: readonly number[], other: readonly number[]): boolean {
  const index = fit.findIndex((value, at) => value !== other[at]);
  return index >= 0 && (fit[index] ?? 0) > (other[index] ?? 0);
}

/**
 * The mapping that the packet names, otherwise the one with the most specific match: first by till, then by store,
 * source, content type and content. Among equal matches, the mapping with the lowest id is used.
 */
export function chooseMapping<C extends Candidate>(
  candidates: readonly C[],
  packet: PacketTraits,
): C | undefined {
  const name = packet.metadata.mapping;
  if (name !== undefined) return candidates.find(({ id }) => id === name);
  let best: { candidate: C; fit: number[] } | undefined;
  for (const candidate of [...candidates].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const fit = fitOf(candidate, packet);
    if (fit && (!best || isMoreSpecific(fit, best.fit))) best = { candidate, fit };
  }
  return best?.candidate;
}
