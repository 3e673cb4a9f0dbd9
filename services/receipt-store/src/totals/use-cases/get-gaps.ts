import { groupBy } from '@receipts/concurrency';
import { missingRangesMax, type getGaps as contract } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import type { Dependencies } from '../../use-cases/dependencies';
import type { BucketSums } from '../domain/bucket-sums';
import { TillNumbers } from '../domain/till-numbers';
import { byText } from '../domain/totals-rows';
import { findBuckets } from './find-buckets';

function gapsOf(buckets: readonly BucketSums[]) {
  const [first] = buckets;
  const gaps = TillNumbers.joined(buckets.map(({ numbers }) => numbers)).gaps();
  if (!first || !gaps) return [];
  const { missing, ...rest } = gaps;
  return [
    {
      store_reference: first.bucket.store,
      till_uuid: first.bucket.till,
      ...rest,
      missing: missing.slice(0, missingRangesMax).map(([from, to]) => ({ from, to })),
      ...(missing.length > missingRangesMax && { more: true as const }),
    },
  ];
}

/** Lists the tills that number their receipts, with the numbers that are missing. */
export function getGaps(deps: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { buckets, asOf } = await findBuckets(deps, query, call);
    const byTill = groupBy(buckets, ({ bucket: { store, till } }) => JSON.stringify([store, till]));
    const tills = [...byTill.values()]
      .flatMap(gapsOf)
      .sort((a, b) => byText(a.store_reference, b.store_reference) || byText(a.till_uuid, b.till_uuid));
    return { body: { tills, as_of: timestampOf(asOf) } };
  };
}
