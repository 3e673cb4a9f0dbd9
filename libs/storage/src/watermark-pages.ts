import type { Collection } from 'mongodb';
import type { WatermarkDocument } from './watermarks';

const pageSizeMax = 20;

/**
 * Iterates over all watermarks, a few at a time, and starts again after the last watermark. Each call reads the next
 * watermarks, so the cost of a sweep does not depend on the number of retailers.
 */
export function watermarkPages(
  watermarks: Collection<WatermarkDocument>,
): () => Promise<WatermarkDocument[]> {
  let last = '';
  return async () => {
    const options = { sort: { _id: 1 }, limit: pageSizeMax } as const;
    const found = await watermarks.find({ _id: { $gt: last } }, options).toArray();
    last = found.length === pageSizeMax ? (found.at(-1)?._id ?? '') : '';
    return found;
  };
}
