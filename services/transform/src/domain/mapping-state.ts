import type { MappingDocument, MappingState, PostedMapping } from '@receipts/contracts';

/** The versions of a mapping, and which one is active. */
export interface MappingHead {
  readonly id: string;
  readonly newest: number;
  readonly active: number | null;
  /** Versions that are active or were once. */
  readonly activated: readonly number[];
}

function stateOf(head: MappingHead, version: number): MappingState {
  if (head.active === version) return 'active';
  return head.activated.includes(version) ? 'inactive' : 'draft';
}

/** The newest version with the given state; if no state is given, the newest of all. */
export function newestWith(head: MappingHead, state: MappingState | undefined): number | undefined {
  if (state === undefined) return head.newest;
  for (let version = head.newest; version >= 1; version--)
    if (stateOf(head, version) === state) return version;
  return undefined;
}

export function documentOf(head: MappingHead, version: number, posted: PostedMapping): MappingDocument {
  return { ...posted, version, status: stateOf(head, version) };
}

export function metaOf({ id, version }: MappingDocument) {
  return { id, version };
}
