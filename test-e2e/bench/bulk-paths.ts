import http from 'node:http';
import { median } from '../harness/statistics';
import type { LoadPlan, PlannedRequest } from './load';
import { measureRounds, printRow, type Row } from './rounds';
import type { Subject } from './subjects';
import { placeholder, receiptBody } from './work';

const receiptsOfBatch = 100;
const lineFeed = 0x0a;
const posted = { method: 'POST', expectedStatus: 201, paths: ['/receipts'], body: receiptBody };
const batch = {
  method: 'POST',
  expectedStatus: 200,
  paths: ['/receipts/_batch'],
  headers: { 'content-type': 'application/x-ndjson' },
  body: Array.from({ length: receiptsOfBatch }, (_, n) =>
    receiptBody.replace(placeholder, `${placeholder}-${n}`),
  ).join('\n'),
};

interface BulkOptions {
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly plan: (subject: Subject, request: PlannedRequest) => LoadPlan;
}

/** Measures batches against single receipts, one after the other in each round. Prints receipts per second. */
export async function measureBatches(ours: Subject, options: BulkOptions): Promise<Row> {
  const named = (name: string): Subject => ({ ...ours, name, watched: () => ours.watched() });
  const subjects = [named('single'), named('batch')];
  const row = await measureRounds(`POST /receipts/_batch (${receiptsOfBatch} receipts a batch)`, subjects, {
    ...options,
    plan: (subject) => options.plan(subject, subject.name === 'batch' ? batch : posted),
  });
  printRow(row);
  const [single = [], batches = []] = subjects.map(({ name }) => row.rounds.get(name));
  const receipts = batches.map(({ perSecond }) => perSecond * receiptsOfBatch);
  const ratio = median(receipts.map((perSecond, round) => perSecond / (single[round]?.perSecond ?? NaN)));
  console.log(
    `  ${Math.round(median(receipts))} receipts/s in batches, ${ratio.toFixed(1)} times those of single posts`,
  );
  return row;
}

/** Reads all receipts by one export. */
export async function measureExport(baseUrl: string, token: string): Promise<void> {
  for (const format of ['ndjson', 'csv']) {
    const began = performance.now();
    const url = `${baseUrl}/receipts/export?from=2026-03-01&to=2026-04-01&format=${format}`;
    const lines = await linesOf(url, token);
    // A receipt of this benchmark has five items, each of which is a row.
    const receipts = format === 'csv' ? lines / 5 : lines;
    const perSecond = receipts / ((performance.now() - began) / 1000);
    console.log(
      `\nGET /receipts/export (${format})\n  ${Math.round(perSecond)} receipts/s of ${Math.round(receipts)}`,
    );
  }
}

function linesOf(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let lines = 0;
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
      });
      response.once('end', () => resolve(lines)).once('error', reject);
    });
    request.once('error', reject);
  });
}
