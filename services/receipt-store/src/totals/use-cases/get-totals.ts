import {
  type exportTotals as exportContract,
  type getTotals as contract,
  type TotalsQuery,
} from '@receipts/contracts';
import { timestampOf, type Call, type Handler } from '@receipts/kernel';
import type { Dependencies } from '../../use-cases/dependencies';
import { printTotalsCsv } from '../domain/totals-csv';
import { printRow, totalsRows, type TotalsRow } from '../domain/totals-rows';
import { findBuckets, type FoundBuckets } from './find-buckets';

interface FoundTotals extends Omit<FoundBuckets, 'buckets'> {
  readonly rows: readonly TotalsRow[];
}

async function find(deps: Dependencies, query: TotalsQuery, call: Call): Promise<FoundTotals> {
  const { buckets, ...found } = await findBuckets(deps, query, call);
  return { ...found, rows: totalsRows(buckets, query.group_by) };
}

/** Adds up receipts by group. */
export function getTotals(deps: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { rows, asOf } = await find(deps, query, call);
    const totals = rows.map((row) => printRow(row, query.group_by)).join(',');
    return { body: Buffer.from(`{"totals":[${totals}],"as_of":"${timestampOf(asOf)}"}`) };
  };
}

/** Returns the same list as a CSV file. */
export function exportTotals(deps: Dependencies): Handler<typeof exportContract> {
  return async ({ query }, call) => {
    const { rows, from, to } = await find(deps, query, call);
    return {
      body: Buffer.from(printTotalsCsv(rows, query.group_by)),
      meta: {
        contentType: 'text/csv; charset=utf-8; header=present',
        fileName: `totals-${from === to ? from : `${from}-${to}`}.csv`,
      },
    };
  };
}
