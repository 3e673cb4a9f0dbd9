import { exclusiveParameters, type listReceiptsV1 as contract } from '@receipts/contracts';
import type { Call, Handler } from '@receipts/kernel';
import { joinJson } from '../domain/join-json';
import { newestPage, openViewAt, type Page } from './receipt-pages';
import type { Dependencies } from './dependencies';

type Query = Parameters<Handler<typeof contract>>[0]['query'];

/** @throws ServiceError 400 `unknown_cursor` */
async function pageOf(deps: Dependencies, query: Query, call: Call): Promise<Page> {
  const { newer, older } = query;
  if (newer === undefined && older === undefined) return newestPage(deps, query, call);
  const [parameter, value] = newer === undefined ? ['older', older as string] : ['newer', newer];
  const { view, arrival } = await openViewAt(deps, query, { parameter, value }, call);
  return newer === undefined ? view.olderThan(arrival) : view.newerThan(arrival);
}

/** Version 1 of the list: an array, newest first, paged by ids. */
export function listReceiptsV1(deps: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { newer, older } = query;
    if (newer !== undefined && older !== undefined) {
      throw exclusiveParameters(['newer', 'older'], ['older']);
    }
    const { receipts } = await pageOf(deps, query, call);
    return { body: joinJson('[', receipts, ']') };
  };
}
