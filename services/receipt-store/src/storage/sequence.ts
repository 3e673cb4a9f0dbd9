import type { CollectionDeclaration } from '@receipts/storage';

/** Numbers that a writer holds and has not yet filled for good. */
export interface OpenBlock {
  readonly token: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The order of arrival of one retailer's receipts. A writer takes a block of numbers with one atomic update, writes its
 * receipts under them, and takes the block out again. What lies below every open block will never change.
 */
export interface SequenceDocument {
  /** The retailer. */
  readonly _id: string;
  readonly next: number;
  readonly open: readonly OpenBlock[];
}

export const sequenceCollection: CollectionDeclaration = { name: 'sequences', indexes: [] };

const firstSeq = 1;

/** The last number below which nothing can arrive any more. */
export function lowWaterMark(sequence: SequenceDocument | null): number {
  if (!sequence) return firstSeq - 1;
  return Math.min(sequence.next, ...sequence.open.map(({ from }) => from)) - 1;
}

export interface WantedBlock {
  readonly token: string;
  readonly count: number;
}

/**
 * The update that opens blocks and closes others, in one step.
 * @param closed tokens of blocks whose receipts are all written
 */
export function sequenceUpdate(wanted: readonly WantedBlock[], closed: readonly string[]): object[] {
  const next = { $ifNull: ['$next', firstSeq] };
  let offset = 0;
  const opened = wanted.map(({ token, count }) => {
    const block = {
      token,
      from: { $add: [next, offset] },
      to: { $add: [next, offset + count - 1] },
    };
    offset += count;
    return block;
  });
  const open = { $ifNull: ['$open', []] };
  const left =
    closed.length === 0
      ? open
      : { $filter: { input: open, as: 'block', cond: { $not: [{ $in: ['$$block.token', [...closed]] }] } } };
  return [{ $set: { open: { $concatArrays: [left, opened] }, next: { $add: [next, offset] } } }];
}
