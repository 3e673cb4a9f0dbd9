import type { Environment } from '../store/environment';
import { KeyStream } from './key-stream';
import type { IndexScan } from './index-scan';
import type { Progress } from './progress';

/** The record numbers of an index scan, in order. Undefined marks the end of a time slice. */
export function scanRecords(
  environment: Environment,
  scan: IndexScan,
  progress: Progress,
): Generator<number | undefined, void, void> {
  return scan.merge ? mergedChains(environment, scan, progress) : chainedRanges(environment, scan, progress);
}

function* chainedRanges(
  environment: Environment,
  scan: IndexScan,
  progress: Progress,
): Generator<number | undefined, void, void> {
  const ranges = scan.chains.flatMap((chain) => chain.ranges);
  const stream = new KeyStream(environment, scan.index, ranges, scan.backwards, progress);
  while (stream.next()) {
    yield stream.record;
    if (progress.spent()) yield undefined;
  }
}

/** Within a chain, keys are in sort order after the prefix, so the chains are merged by the rest of their keys. */
function* mergedChains(
  environment: Environment,
  scan: IndexScan,
  progress: Progress,
): Generator<number | undefined, void, void> {
  const direction = scan.backwards ? -1 : 1;
  const heads = scan.chains
    .map((chain) => ({
      prefix: chain.prefixBytes,
      stream: new KeyStream(environment, scan.index, chain.ranges, scan.backwards, progress),
    }))
    .filter((h) => h.stream.next());
  const before = (a: (typeof heads)[number], b: (typeof heads)[number]): boolean => {
    const x = a.stream.key;
    const y = b.stream.key;
    return direction * x.compare(y, b.prefix, y.length, a.prefix, x.length) < 0;
  };
  while (heads.length > 0) {
    let best = 0;
    for (let i = 1; i < heads.length; i++) if (before(heads[i]!, heads[best]!)) best = i;
    const { stream } = heads[best]!;
    yield stream.record;
    if (!stream.next()) heads.splice(best, 1);
    if (progress.spent()) yield undefined;
  }
}
