import http from 'node:http';
import { until } from '@receipts/testing';
import { request } from '../harness/http';
import { cpuSecondsOf, memoryOf } from './measure';
import type { Subject } from './subjects';

export interface Api {
  readonly baseUrl: string;
  readonly token: string;
}

interface Download {
  readonly lines: number;
  readonly end: string;
}

const lineFeed = 0x0a;
/** Enough for the last line, which is a cursor. */
const endLength = 200;
/** A receipt of this benchmark has five items, each of which is a row. */
const itemsOfReceipt = 5;
const headerLines = 1;
const cursorEvery = 1_000;
const sampleEveryMs = 250;
/** Uncollected garbage adds to the memory that an export needs. */
const grownMbMax = 128;
const month = { from: '2026-03-01', to: '2026-04-01', lastDay: '2026-03-31' };
const totalsWithinMs = 60_000;

/**
 * Downloads all receipts of the benchmark, in each format.
 * @returns the faults: receipts that are missing or repeated, or memory that grows
 */
export async function measureExport(ours: Subject, api: Api): Promise<string[]> {
  const problems: string[] = [];
  const counts: number[] = [];
  for (const format of ['ndjson', 'csv']) {
    const before = memoryOf(ours.watched(), 'Pss_Anon');
    const cpuBefore = cpuSecondsOf(ours.watched());
    const most = new Map(before);
    const sampling = setInterval(() => {
      for (const [name, mb] of memoryOf(ours.watched(), 'Pss_Anon'))
        most.set(name, Math.max(most.get(name) ?? 0, mb));
    }, sampleEveryMs);
    const began = performance.now();
    const { lines, end } = await download(format, api).finally(() => clearInterval(sampling));
    const seconds = (performance.now() - began) / 1000;
    const receipts = receiptsIn(lines, format);
    counts.push(receipts);
    const cpu = ((cpuSecondsOf(ours.watched()) - cpuBefore) / receipts) * 1000;
    console.log(`\nGET /receipts/export (${format})`);
    console.log(
      `  ${Math.round(receipts / seconds)} receipts/s of ${receipts}, ${cpu.toFixed(3)} CPU s per 1,000`,
    );
    const grown = [...most].map(([name, mb]) => ({ name, mb: mb - (before.get(name) ?? 0) }));
    console.log(`  memory grew by at most ${grown.map(({ name, mb }) => `${name} ${mb}`).join(', ')} MB`);
    for (const { name, mb } of grown) if (mb > grownMbMax) problems.push(`export: ${name} grew by ${mb} MB`);
    if (!/_cursor|#cursor/.test(end)) problems.push(`export: the ${format} did not end with a cursor`);
  }
  const stored = await until(
    'the totals to have all receipts',
    async () => (await receiptsInTotals(api)) >= Math.max(...counts) && receiptsInTotals(api),
    totalsWithinMs,
  ).catch(() => receiptsInTotals(api));
  if (counts.some((count) => count !== stored)) {
    problems.push(`export: ${counts.join(' and ')} receipts of ${stored}`);
  }
  return problems;
}

/**
 * The number of lines without the header and the cursors, one of which follows every 1,000 receipts and one is at the
 * end.
 */
function receiptsIn(lines: number, format: string): number {
  const perReceipt = format === 'csv' ? itemsOfReceipt : 1;
  const rest = lines - (format === 'csv' ? headerLines : 0);
  const cursors = Math.ceil(rest / (cursorEvery * perReceipt + 1));
  return (rest - cursors) / perReceipt;
}

async function receiptsInTotals({ baseUrl, token }: Api): Promise<number> {
  const path = `/reports/totals?from=${month.from}&to=${month.lastDay}&group_by=currency`;
  const { status, body } = await request(baseUrl, path, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) return 0;
  return (body.totals as { receipts: number }[]).reduce((sum, { receipts }) => sum + receipts, 0);
}

function download(format: string, { baseUrl, token }: Api): Promise<Download> {
  const url = `${baseUrl}/receipts/export?from=${month.from}&to=${month.to}&format=${format}`;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = http.get(url, { headers }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`an export was answered with ${response.statusCode}`));
      let lines = 0;
      let end = '';
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
        end = (end + chunk.toString('latin1', Math.max(0, chunk.length - endLength))).slice(-endLength);
      });
      response.once('end', () => resolve({ lines, end })).once('error', reject);
    });
    sent.once('error', reject);
  });
}
