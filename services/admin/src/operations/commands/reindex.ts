import { dataOf, type ReceiptsClient } from '@receipts/client';
import { allPages } from './api';
import { option, UsageError, type Arguments, type CommandResult } from './command';
import { table } from './table';

const columns = ['retailer', 'examined', 'changed'];

function positionOf(args: Arguments): number {
  const position = Number(option(args, 'after') ?? 0);
  if (!Number.isSafeInteger(position) || position < 0)
    throw new UsageError('--after must be an arrival position');
  return position;
}

/** Rebuilds the search documents of receipts, page by page, for the given retailers or for all. */
export async function reindex(api: ReceiptsClient, args: Arguments): Promise<CommandResult> {
  const begin = positionOf(args);
  const named = args.positionals;
  const retailers = named.length > 0 ? named : (await allRetailers(api)).map(({ id }) => id);
  const done = [];
  for (const retailer of retailers) done.push({ retailer, ...(await reindexRetailer(api, retailer, begin)) });
  return { json: { retailers: done }, text: table(done, columns) };
}

async function reindexRetailer(api: ReceiptsClient, id: string, begin: number) {
  const params = { path: { id } };
  const sums = { examined: 0, changed: 0 };
  for (let after: number | null = begin; after !== null;) {
    const request = api.POST('/operator/retailers/{id}/receipts/_reindex', { params, body: { after } });
    const page: { examined: number; changed: number; next: number | null } = await dataOf(request);
    sums.examined += page.examined;
    sums.changed += page.changed;
    after = page.next;
  }
  return sums;
}

export async function allRetailers(api: ReceiptsClient) {
  const pages = await allPages({}, (query) => dataOf(api.GET('/operator/retailers', { params: { query } })));
  return pages.flatMap((page) => page.retailers);
}
