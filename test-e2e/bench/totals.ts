import { request } from '../harness/http';
import type { BulkOptions } from './batches';
import type { Api } from './export';
import { measureRounds, printRow, type Row } from './rounds';
import type { Subject } from './subjects';
import { placeholder, receiptBody } from './work';

/** The days to compare: one with ten receipts, and one with all receipts of the benchmark. */
const days = { 'ten receipts': '2026-04-14', 'all receipts': '2026-03-14' };
export const totalsSubjects: readonly string[] = Object.keys(days);
const fewReceipts = 10;

/** Measures alternately the totals of a day with ten receipts and of a day with all receipts. */
export async function measureTotals(
  ours: Subject,
  { baseUrl, token }: Api,
  options: BulkOptions,
): Promise<Row> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let n = 0; n < fewReceipts; n++) {
    const body = receiptBody
      .replace(placeholder, `totals-${n}`)
      .replace(days['all receipts'], days['ten receipts']);
    const { status } = await request(baseUrl, '/receipts', { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`posting a receipt for the day with few receipts returned ${status}`);
  }
  const subjects = totalsSubjects.map((name) => ({ ...ours, name, watched: () => ours.watched() }));
  const row = await measureRounds('GET /reports/totals (a day)', subjects, {
    ...options,
    plan: (subject) => {
      const day = days[subject.name as keyof typeof days];
      const paths = [`/reports/totals?from=${day}&to=${day}`];
      return options.plan(subject, {
        method: 'GET',
        expectedStatus: 200,
        expectedText: '"receipts":',
        paths,
      });
    },
  });
  printRow(row);
  return row;
}
