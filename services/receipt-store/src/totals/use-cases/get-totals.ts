import {
  localDate,
  totalsDaysMax,
  type exportTotals as exportContract,
  type getTotals as contract,
  type TotalsQuery,
  checkWholeRetailer,
} from '@receipts/contracts';
import { invalidParameters, timestampOf, type Call, type Handler } from '@receipts/kernel';
import { printTotalsCsv } from '../domain/totals-csv';
import { printRow, totalsRows, type TotalsRow } from '../domain/totals-rows';
import type { Parts } from '../../use-cases/parts';
import { visibleTo } from '../../use-cases/visible-to';

interface FoundTotals {
  readonly rows: readonly TotalsRow[];
  readonly from: string;
  readonly to: string;
  readonly asOf: Date;
}

const dayMs = 24 * 60 * 60_000;

/** @throws ServiceError 400 `invalid_parameter` */
function rangeOf({ from, to }: TotalsQuery, today: () => string) {
  const range = { from: from ?? today(), to: to ?? today() };
  const days = (Date.parse(range.to) - Date.parse(range.from)) / dayMs + 1;
  const path = to === undefined ? '/from' : '/to';
  const refuse = (message: string) => invalidParameters([{ path, code: 'out_of_range', message }]);
  if (days < 1) throw refuse('must not make the range end before it begins');
  if (days > totalsDaysMax) throw refuse(`must not make the range longer than ${totalsDaysMax} days`);
  return range;
}

async function find(parts: Parts, query: TotalsQuery, call: Call): Promise<FoundTotals> {
  const { totals, findRetailer, now } = parts;
  checkWholeRetailer(call);
  const { settings } = await findRetailer(call);
  const asOf = now();
  const { from, to } = rangeOf(query, () => localDate(asOf, settings.timezone));
  const { store_reference: references, till_uuid: tills, group_by: groupBy } = query;
  const { storeKeys } = visibleTo(parts, call, { stores: references });
  const buckets = await totals.read(call.retailer, { from, to, storeKeys }, call);
  const ofTills = tills
    ? buckets.filter(({ bucket: { till } }) => till !== null && tills.includes(till))
    : buckets;
  return { rows: totalsRows(ofTills, groupBy), from, to, asOf };
}

/** Adds up receipts by group. */
export function getTotals(parts: Parts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { rows, asOf } = await find(parts, query, call);
    const totals = rows.map((row) => printRow(row, query.group_by)).join(',');
    return { body: Buffer.from(`{"totals":[${totals}],"as_of":"${timestampOf(asOf)}"}`) };
  };
}

/** Returns the same list as a CSV file. */
export function exportTotals(parts: Parts): Handler<typeof exportContract> {
  return async ({ query }, call) => {
    const { rows, from, to } = await find(parts, query, call);
    return {
      body: Buffer.from(printTotalsCsv(rows, query.group_by)),
      meta: {
        contentType: 'text/csv; charset=utf-8; header=present',
        fileName: `totals-${from === to ? from : `${from}-${to}`}.csv`,
      },
    };
  };
}
