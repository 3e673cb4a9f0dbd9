import type { Collection } from 'mongodb';
import { guarded } from './faults';
import type { MarkDocument } from './marks';

const marksAtOnceMax = 20;

/**
 * Walks over all marks, some at a time, and begins again after the last one. Each call reads the next marks, so a sweep
 * costs the same however many retailers there are.
 */
export function markWalk(marks: Collection<MarkDocument>): () => Promise<MarkDocument[]> {
  let last = '';
  return async () => {
    const options = { sort: { _id: 1 }, limit: marksAtOnceMax } as const;
    const found = await guarded(() => marks.find({ _id: { $gt: last } }, options).toArray());
    last = found.length === marksAtOnceMax ? (found.at(-1)?._id ?? '') : '';
    return found;
  };
}
