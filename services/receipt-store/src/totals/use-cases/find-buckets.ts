import { isDay, localDate, mustBeDay, totalsDaysMax, type ReportQuery } from '@receipts/contracts';
import { invalidParameters, type Call } from '@receipts/kernel';
import type { Dependencies } from '../../use-cases/dependencies';
import { visibleTo } from '../../use-cases/visible-to';
import type { BucketSums } from '../domain/bucket-sums';

export interface FoundBuckets {
  readonly buckets: readonly BucketSums[];
  readonly from: string;
  readonly to: string;
  readonly asOf: Date;
}

const dayMs = 24 * 60 * 60_000;

/** @throws ServiceError 400 `invalid_parameter` */
function rangeOf({ from, to }: ReportQuery, today: () => string) {
  const range = { from: from ?? today(), to: to ?? today() };
  // Pages pass on what a form contains.
  const faults = Object.entries(range).filter(([, day]) => !isDay(day));
  if (faults.length > 0)
    throw invalidParameters(
      faults.map(([name]) => ({ path: `/${name}`, code: 'invalid_format', message: mustBeDay })),
    );
  const days = (Date.parse(range.to) - Date.parse(range.from)) / dayMs + 1;
  const path = to === undefined ? '/from' : '/to';
  const refuse = (message: string) => invalidParameters([{ path, code: 'out_of_range', message }]);
  if (days < 1) throw refuse('must not make the range end before it begins');
  if (days > totalsDaysMax) throw refuse(`must not make the range longer than ${totalsDaysMax} days`);
  return range;
}

/**
 * The buckets of a report, with every receipt that was stored before this call.
 * @throws ServiceError 400 `invalid_parameter`, 403 `consumer_mismatch`
 */
export async function findBuckets(deps: Dependencies, query: ReportQuery, call: Call): Promise<FoundBuckets> {
  const { totals, findRetailer, now } = deps;
  const { settings } = await findRetailer(call);
  const asOf = now();
  const { from, to } = rangeOf(query, () => localDate(asOf, settings.timezone));
  const { store_reference: references, till_uuid: tills } = query;
  const { storeKeys } = visibleTo(deps, call, { stores: references });
  const found = await totals.read(call.retailer, { from, to, storeKeys }, call);
  const buckets = tills
    ? found.filter(({ bucket: { till } }) => till !== null && tills.includes(till))
    : found;
  return { buckets, from, to, asOf };
}
