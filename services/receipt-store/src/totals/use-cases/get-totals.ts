import {
  type exportTotals as exportContract,
  type getTotals as contract,
  type TotalsQuery,
} from '@receipts/contracts';
import { timestampOf, type Call, type Handler } from '@receipts/kernel';
import type { Parts } from '../../use-cases/parts';
import { printTotalsCsv } from '../domain/totals-csv';
import { printRow, totalsRows, type TotalsRow } from '../domain/totals-rows';
import { findBuckets, type FoundBuckets } from './find-buckets';

interface FoundTotals extends Omit<FoundBuckets, 'buckets'> {
  readonly rows: readonly TotalsRow[];
}

async function find(parts: Parts, query: TotalsQuery, call: Call): Promise<FoundTotals> {
  const { buckets, ...found } = await findBuckets(parts, query, call);
  return { ...found, rows: totalsRows(buckets, query.group_by) };
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
