import { median } from '../harness/statistics';
import { batch } from './batches';
import { RunningVersion, type LoadSettings, type Version } from './running-version';
import { packetBody, placeholder, receiptBody } from './work';

interface PairsOptions extends LoadSettings {
  readonly rounds: number;
}

type Measure = (version: RunningVersion, settings: LoadSettings) => Promise<number>;

/** The results of both versions, in the order of their names, by row. */
type Results = ReadonlyMap<string, readonly [number[], number[]]>;

const get = { method: 'GET', expectedStatus: 200 };
const post = { method: 'POST', paths: ['/receipts'], body: receiptBody, expectedStatus: 201 };
const packet = { method: 'POST', paths: ['/pos/receipts'], body: packetBody, expectedStatus: 202 };
const headers = { 'idempotency-key': `bench-${placeholder}` };
const day = '2026-03-14';

const rows: Readonly<Record<string, Measure>> = {
  'GET /receipts/{id}': (version, settings) => version.load({ ...get, paths: [] }, settings),
  'GET /receipts, 20 receipts': (version, settings) =>
    version.load({ ...get, paths: ['/receipts'] }, settings),
  'POST /receipts': (version, settings) => version.load(post, settings),
  'POST /receipts, with a key': (version, settings) => version.load({ ...post, headers }, settings),
  'POST /receipts, one connection': (version, settings) =>
    version.load({ ...post, connections: 1 }, settings),
  'POST /receipts/_batch, 100 receipts': (version, settings) => version.load(batch, settings),
  'GET /reports/totals, a day': (version, settings) =>
    version.load({ ...get, paths: [`/reports/totals?from=${day}&to=${day}`] }, settings),
  'GET /receipts/export, NDJSON, per receipt': (version) => version.exported('ndjson'),
  'GET /receipts/export, CSV, per receipt': (version) => version.exported('csv'),
  'POST /pos/receipts, to stored': (version, settings) => version.converted(packet, settings),
  'same, with a key': (version, settings) => version.converted({ ...packet, headers }, settings),
  'same, one connection': (version, settings) => version.converted({ ...packet, connections: 1 }, settings),
};

/**
 * Compares the CPU time of two versions of the platform, which run at the same time and take turns. The platform that
 * was started second can need a fifth less than the first in all turns, so everything is measured in both orders.
 */
export class PairsBench {
  constructor(
    private readonly versions: readonly [Version, Version],
    private readonly options: PairsOptions,
  ) {}

  /** @throws Error if a response was unexpected, or a packet was lost */
  async run(): Promise<void> {
    const [before, after] = this.versions;
    const inOrder = await this.measure(before, after);
    const reversed = await this.measure(after, before);
    console.log(
      `\nMilliseconds of CPU time per request, ${before.name} and ${after.name}, and the ratio (in each order):`,
    );
    for (const [row, [beforeFirst, afterSecond]] of inOrder) {
      const [afterFirst, beforeSecond] = reversed.get(row) as [number[], number[]];
      const ratios = [ratio(beforeFirst, afterSecond), ratio(beforeSecond, afterFirst)] as const;
      const ms = [median([...beforeFirst, ...beforeSecond]), median([...afterFirst, ...afterSecond])];
      const cpu = ms.map((one) => one.toFixed(3)).join('  ');
      const each = ratios.map((one) => one.toFixed(2)).join(' and ');
      console.log(`  ${row.padEnd(42)}${cpu}  x ${Math.sqrt(ratios[0] * ratios[1]).toFixed(2)} (${each})`);
    }
  }

  private async measure(first: Version, second: Version): Promise<Results> {
    const { rounds, ...settings } = this.options;
    const started: RunningVersion[] = [];
    try {
      for (const version of [first, second]) started.push(await RunningVersion.start(version));
      for (const version of started) await version.prepare();
      const results = new Map<string, readonly [number[], number[]]>();
      for (const [row, measure] of Object.entries(rows)) {
        console.log(`${first.name}, ${second.name}: ${row} ...`);
        const both = [[], []] as [number[], number[]];
        for (const version of started) await measure(version, settings);
        for (let turn = 0; turn < 2 * rounds; turn++) {
          // Turns alternate as in ABBA, so that a change of the machine's speed affects both.
          const which = [0, 1, 1, 0][turn % 4] as 0 | 1;
          both[which].push(await measure(started[which] as RunningVersion, settings));
        }
        results.set(row, both);
      }
      return results;
    } finally {
      for (const version of started) await version.stop();
    }
  }
}

/** The median of the ratios of the second version's results to those of the first. */
function ratio(first: readonly number[], second: readonly number[]): number {
  return median(second.map((ms, round) => ms / (first[round] ?? NaN)));
}
