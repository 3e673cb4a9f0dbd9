import { readSale, type Sale, type TotalsBucket } from '../domain/sale';
import type { ArrivedSale } from './sales';
import { documentId, type OpenBucket } from './totals-buckets';
import type { TotalsChange, TotalsProgress } from './totals-documents';

/** The generation that is read, or the one being built. */
export type TotalsTarget = 'present' | 'rebuild';

/** The contributions that are added together to one retailer's totals. */
export interface Page {
  readonly retailer: string;
  readonly target: TotalsTarget;
  readonly from: TotalsProgress;
  readonly arrivals: readonly ArrivedSale[];
  readonly changes: readonly TotalsChange[];
}

export const progressAfter = ({ from, arrivals, changes }: Page): TotalsProgress => ({
  ...from,
  upTo: arrivals.at(-1)?.arrival ?? from.upTo,
  changesUpTo: changes.at(-1)?.n ?? from.changesUpTo,
});

/** A sale that is added to or removed from a bucket. */
interface Side {
  readonly sale: Sale;
  readonly sign: 1 | -1;
  /** The number of the arrival or of the change. */
  readonly at: { readonly arrival: number } | { readonly n: number };
}

export function sidesOf({ arrivals, changes }: Page): Side[] {
  const arrived = arrivals.flatMap(({ arrival, sale }): Side[] =>
    sale ? [{ sale, sign: 1, at: { arrival } }] : [],
  );
  const changed = changes.flatMap(({ n, before, after }): Side[] => {
    const [old, now] = [before, after].map((text) => (text === null ? undefined : readSale(text)));
    // If a receipt's time does not change, the bucket's first and last times do not change either.
    const stays = old && now && old.at === now.at;
    return [
      ...(old ? [{ sale: stays ? { ...old, at: null } : old, sign: -1 as const, at: { n } }] : []),
      ...(now ? [{ sale: now, sign: 1 as const, at: { n } }] : []),
    ];
  });
  return [...arrived, ...changed];
}

export function addSides(
  page: Page,
  sides: readonly Side[],
  open: ReadonlyMap<string, OpenBucket>,
  changed: Set<OpenBucket>,
): void {
  const { retailer, from } = page;
  const { upTo, changesUpTo } = progressAfter(page);
  const touched = new Set<OpenBucket>();
  const bucketOf = (bucket: TotalsBucket) =>
    open.get(documentId({ retailer, generation: from.generation, bucket })) as OpenBucket;
  for (const { sale, sign, at } of sides) {
    const bucket = bucketOf(sale.bucket);
    // The number is compared with the stored state, because both sides of a change have the same number.
    const { stored } = bucket;
    const isNew = 'arrival' in at ? at.arrival > (stored?.upTo ?? 0) : at.n > (stored?.changesUpTo ?? 0);
    if (!isNew) continue;
    if ('arrival' in at) bucket.sums.receive(sale);
    if (sign === 1) bucket.sums.add(sale);
    else bucket.sums.subtract(sale);
    touched.add(bucket);
  }
  for (const bucket of touched) {
    bucket.upTo = Math.max(bucket.upTo, upTo);
    bucket.changesUpTo = Math.max(bucket.changesUpTo, changesUpTo);
    changed.add(bucket);
  }
}
