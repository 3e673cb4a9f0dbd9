import http from 'node:http';
import type { Platform } from '@receipts/local';
import type { Api } from './export';
import { loadSample } from './load-sample';
import { memoryOf, memoryText } from './measure';
import type { Subject } from './subjects';

/** Samples are spread over these years. */
const years = [2023, 2024, 2025];
/** The first measurement uses this fraction of the receipts. */
const smallShare = 0.2;
const watchedServices: ReadonlySet<string> = new Set(['gateway', 'receipt-store']);
const sampleEveryMs = 250;
/** Heaps still grow somewhat after a few thousand receipts; holding 100,000 receipts would take 190 MB. */
const grownMbMax = 96;
/** A download is interrupted after this many bytes, and continues after its last cursor. */
const brokenAfterBytes = 7_000_000;
const lineFeed = '\n';

/**
 * Exports a growing number of receipts, with interrupted downloads. The benchmark fails if a receipt is missing or
 * repeated.
 */
export class LargeExportBench {
  constructor(
    private readonly platform: Platform,
    private readonly ours: Subject,
    private readonly token: string,
    private readonly size: number,
  ) {}

  /** @returns false if receipts were missing or repeated, or if memory grew with their number */
  async run(): Promise<boolean> {
    const problems: string[] = [];
    const small = Math.round(this.size * smallShare);
    let loaded = 0;
    let before: Map<string, number> | undefined;
    for (const count of [small, this.size]) {
      await loadSample(this.platform, loaded, count - loaded);
      loaded = count;
      const { found, downloads, seconds, memory } = await this.exportAll();
      const unique = new Set(found).size;
      const perSecond = Math.round(found.length / seconds);
      console.log(`\n${found.length} receipts in ${downloads} downloads, ${perSecond} per second`);
      console.log(`  maximum memory: ${[...memory].map(([name, mb]) => `${name} ${mb} MB`).join(', ')}`);
      if (unique !== count) problems.push(`${count - unique} of ${count} receipts are missing`);
      if (unique !== found.length) problems.push(`${found.length - unique} receipts are repeated`);
      for (const [name, mb] of memory) {
        const grown = mb - (before?.get(name) ?? mb);
        if (grown > grownMbMax) problems.push(`${name} needs ${grown} MB more for ${count} receipts`);
      }
      before = memory;
    }
    console.log(`\nMemory at the end: ${memoryText(this.ours.watched())}`);
    for (const problem of problems) console.log(`FAILED: ${problem}`);
    return problems.length === 0;
  }

  private async exportAll() {
    const memory = new Map<string, number>();
    const sampling = setInterval(() => {
      for (const [name, mb] of memoryOf(this.ours.watched(), 'Pss_Anon')) {
        if (watchedServices.has(name)) memory.set(name, Math.max(memory.get(name) ?? 0, mb));
      }
    }, sampleEveryMs);
    const began = performance.now();
    const found: string[] = [];
    let downloads = 0;
    try {
      for (const year of years) {
        for (let after: string | undefined, isComplete = false; !isComplete; downloads++) {
          const part = await download(this.api, { year, after });
          found.push(...part.ids);
          ({ after, isComplete } = part);
        }
      }
    } finally {
      clearInterval(sampling);
    }
    return { found, downloads, memory, seconds: (performance.now() - began) / 1000 };
  }

  private get api(): Api {
    return { baseUrl: this.platform.baseUrl, token: this.token };
  }
}

interface Part {
  /** The data of the receipts before the last cursor. */
  readonly ids: readonly string[];
  readonly after: string | undefined;
  readonly isComplete: boolean;
}

/** Keeps the data before the last cursor that has arrived. */
function download({ baseUrl, token }: Api, { year, after }: { year: number; after: string | undefined }) {
  const query = new URLSearchParams({
    ...{ from: `${year}-01-01`, to: `${year + 1}-01-01` },
    ...(after !== undefined && { after }),
  });
  return new Promise<Part>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = http.get(`${baseUrl}/receipts/export?${query}`, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`an export returned ${response.statusCode}`));
      const ids: string[] = [];
      let sinceCursor: string[] = [];
      let cursor = after;
      let rest = '';
      let bytes = 0;
      response.setEncoding('utf8').on('data', (text: string) => {
        bytes += text.length;
        const lines = (rest + text).split(lineFeed);
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { id, _cursor } = JSON.parse(line) as { id?: string; _cursor?: string };
          if (id !== undefined) sinceCursor.push(id);
          if (_cursor === undefined) continue;
          cursor = _cursor;
          ids.push(...sinceCursor);
          sinceCursor = [];
        }
        if (bytes > brokenAfterBytes && cursor !== after) response.destroy();
      });
      response.once('close', () => resolve({ ids, after: cursor, isComplete: response.complete }));
    });
    sent.once('error', reject);
  });
}
