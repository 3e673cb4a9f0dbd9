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
  readonly receipts: number;
  readonly end: string;
}

const lineFeed = 0x0a;
/** Enough for the last line, which is a cursor. */
const endLength = 200;
/** The length of a receipt's id, with which each row of CSV begins. */
const idLength = 24;
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
    const { receipts, end } = await download(format, api).finally(() => clearInterval(sampling));
    const seconds = (performance.now() - began) / 1000;
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

/** Counts the receipts of a download: NDJSON lines except cursors, or distinct ids in the first cells of CSV rows. */
class ReceiptCounter {
  count = 0;
  private rest: Buffer = Buffer.alloc(0);
  private previousId = '';

  constructor(private readonly format: string) {}

  add(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      this.line(bytes.toString('latin1', from, Math.min(end, from + idLength)));
      from = end + 1;
    }
    this.rest = bytes.subarray(from);
  }

  private line(start: string): void {
    if (this.format === 'ndjson') {
      if (!start.startsWith('{"_cursor"')) this.count += 1;
    } else if (start !== this.previousId && /^[\da-f]+$/.test(start)) {
      this.count += 1;
      this.previousId = start;
    }
  }
}

async function receiptsInTotals({ baseUrl, token }: Api): Promise<number> {
  const path = `/reports/totals?from=${month.from}&to=${month.lastDay}&group_by=currency`;
  const { status, body } = await request(baseUrl, path, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) return 0;
  return (body.totals as { receipts: number }[]).reduce((sum, { receipts }) => sum + receipts, 0);
}

/** Downloads all receipts of the benchmark, and counts them. */
export function download(format: string, { baseUrl, token }: Api): Promise<Download> {
  const url = `${baseUrl}/receipts/export?from=${month.from}&to=${month.to}&format=${format}`;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = http.get(url, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`an export returned ${response.statusCode}`));
      const counter = new ReceiptCounter(format);
      let end = '';
      response.on('data', (chunk: Buffer) => {
        counter.add(chunk);
        end = (end + chunk.toString('latin1', Math.max(0, chunk.length - endLength))).slice(-endLength);
      });
      response.once('end', () => resolve({ receipts: counter.count, end })).once('error', reject);
    });
    sent.once('error', reject);
  });
}
