import { segment, type OperatorApi } from './api';
import { option, UsageError, type Arguments, type Outcome, type Row } from './command';
import { table } from './table';

interface Page {
  readonly examined: number;
  readonly changed: number;
  readonly next: number | null;
}

const columns = ['retailer', 'examined', 'changed'];

function placeOf(args: Arguments): number {
  const place = Number(option(args, 'after') ?? 0);
  if (!Number.isSafeInteger(place) || place < 0)
    throw new UsageError('--after is not a place in the order of arrival');
  return place;
}

/** Rebuilds the search documents of receipts, page by page, for the given retailers or for all. */
export async function reindex(api: OperatorApi, args: Arguments): Promise<Outcome> {
  const begin = placeOf(args);
  const named = args.positionals;
  const retailers =
    named.length > 0
      ? named
      : (await api.all<Row>('/operator/retailers', 'retailers')).map(({ id }) => String(id));
  const done = [];
  for (const retailer of retailers) done.push({ retailer, ...(await reindexRetailer(api, retailer, begin)) });
  return { json: { retailers: done }, text: table(done, columns) };
}

async function reindexRetailer(api: OperatorApi, retailer: string, begin: number) {
  const target = `/operator/retailers/${segment(retailer)}/receipts/_reindex`;
  const sums = { examined: 0, changed: 0 };
  for (let after: number | null = begin; after !== null;) {
    const page: Page = (await api.call(target, { method: 'POST', body: { after } })).body as Page;
    sums.examined += page.examined;
    sums.changed += page.changed;
    after = page.next;
  }
  return sums;
}
