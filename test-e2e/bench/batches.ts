import { median } from '../harness/statistics';
import type { LoadPlan, PlannedRequest } from './load';
import { cpuOf, measureRounds, printRow, type Row } from './rounds';
import type { Subject } from './subjects';
import { placeholder, receiptBody } from './work';

const receiptsOfBatch = 100;
const posted = { method: 'POST', expectedStatus: 201, paths: ['/receipts'], body: receiptBody };
/** A request with a hundred receipts, all of which must be accepted. */
export const batch = {
  method: 'POST',
  expectedStatus: 200,
  expectedText: '"refused":0,',
  paths: ['/receipts/_batch'],
  headers: { 'content-type': 'application/x-ndjson' },
  body: Array.from({ length: receiptsOfBatch }, (_, n) =>
    receiptBody.replace(placeholder, `${placeholder}-${n}`),
  ).join('\n'),
};

/** The platform with each kind of request. */
export const batchSubjects = ['single', 'batch'] as const;

export interface BulkOptions {
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly plan: (subject: Subject, request: PlannedRequest) => LoadPlan;
}

/** Measures batches and single receipts alternately. Prints receipts per second, and CPU time per receipt. */
export async function measureBatches(ours: Subject, options: BulkOptions): Promise<Row> {
  const subjects = batchSubjects.map((name) => ({ ...ours, name, watched: () => ours.watched() }));
  const row = await measureRounds(`POST /receipts/_batch (${receiptsOfBatch} receipts a batch)`, subjects, {
    ...options,
    plan: (subject) => options.plan(subject, subject.name === 'batch' ? batch : posted),
  });
  printRow(row);
  const [single = [], batches = []] = batchSubjects.map((name) => row.rounds.get(name));
  const receipts = batches.map(({ perSecond }) => perSecond * receiptsOfBatch);
  const ratio = median(receipts.map((perSecond, round) => perSecond / (single[round]?.perSecond ?? NaN)));
  const cpu = cpuOf(row, 'single') / (cpuOf(row, 'batch') / receiptsOfBatch);
  console.log(
    `  ${Math.round(median(receipts))} receipts/s in batches, ${ratio.toFixed(1)} times those of single posts, which take ${cpu.toFixed(1)} times the CPU time`,
  );
  return row;
}
