import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Platform, readLocalSettings } from '@receipts/local';
import { bearerToken } from '../harness/credentials';
import { SpanReceiver } from '../harness/span-receiver';
import { takeCore } from './busy-core';
import { HostileBench } from './hostile';
import { HopsBench } from './hops';
import { HotPaths } from './hot-paths';
import { LargeExportBench } from './large-export';
import { loadSample } from './load-sample';
import { SearchBench } from './search';
import { SearchFieldsBench } from './search-fields';
import { PairsBench } from './pairs';
import type { Version } from './running-version';
import { platformSubject, Yardstick } from './subjects';
import { WebhookBench } from './webhooks';

/**
 * `npm run bench`: the hot paths on a separate platform, compared with a bare server and a NestJS application in the
 * same run.
 * `npm run bench -- --seconds 6 --rounds 3 --connections 64 --only receipts,peers,reads,packets,bulk`
 * `peers` compares with peers that store receipts: an Express monolith, and the same split over RabbitMQ. `--busy`
 * occupies one core with other work.
 *
 * Other benchmarks, each with `npm run bench --`:
 * - `--search --sizes 10000,1000000`: lists, searches and totals with a growing number of receipts.
 * - `--search-fields 200000`: searches of every field among this many receipts, compared with an evaluation of the
 *   receipts, and the time of posting alongside expensive searches.
 * - `--with 1000000`: lists, searches, totals, searches of every field, and the hot paths with this many receipts.
 * - `--webhooks 1000`: this many endpoints, every tenth of which hangs.
 * - `--export 100000`: this many receipts in interrupted downloads, after a run with a fifth of them.
 * - `--hostile`: expensive bodies, and the response times of other requests meanwhile.
 * - `--hops`: where a single request spends its time.
 * - `--against FOLDER`: another checkout compared with this one, such as the commit before a change. It must have been
 *   compiled: `npm ci && npx tsc -b`.
 * - `--node PATH`: this version of Node.js compared with another one, such as the executable that
 *   `npm install --prefix /tmp/node-24 node@24` downloads.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: 'receipts,peers,reads,packets,bulk' },
    search: { type: 'boolean', default: false },
    'search-fields': { type: 'string' },
    webhooks: { type: 'string' },
    export: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    hops: { type: 'boolean', default: false },
    node: { type: 'string' },
    against: { type: 'string' },
    busy: { type: 'boolean', default: false },
    with: { type: 'string' },
    sizes: { type: 'string', default: '10000,1000000' },
  },
});

const webhookReceipts = 5;

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`);
  return value;
}

function sizesOf(text: string): readonly number[] {
  const sizes = text.split(',').map(Number);
  if (sizes.some((size, i) => !Number.isInteger(size) || size <= (sizes[i - 1] ?? 0))) {
    throw new Error('--sizes must be whole numbers in ascending order, separated by commas');
  }
  return sizes;
}

async function hotPaths(
  platform: Platform,
  token: string,
  logDir: string,
  seconds: number,
): Promise<boolean> {
  const { url, pid = 0 } = platform.broker;
  const around = { roles: ['service', 'gateway'], args: [url], servers: [{ name: 'broker', pid }], logDir };
  const yardsticks: Yardstick[] = [];
  try {
    yardsticks.push(await Yardstick.start('bare', { ...around, script: 'bare.js' }));
    yardsticks.push(await Yardstick.start('nest', { ...around, script: 'nest.mjs' }));
    const bench = new HotPaths(platform, [...yardsticks, platformSubject(platform)], token, {
      seconds,
      rounds: wholeNumber('rounds', values.rounds),
      connections: wholeNumber('connections', values.connections),
      logDir,
    });
    return await bench.run(values.only.split(','));
  } finally {
    await Promise.all(yardsticks.map((yardstick) => yardstick.stop()));
  }
}

/** Measures lists, searches and totals among this many receipts, and searches of every field. */
async function searches(platform: Platform, token: string, size: number, seconds: number): Promise<boolean> {
  await new SearchBench(platform, token, { sizes: [size], secondsPerRow: seconds }).run();
  return new SearchFieldsBench(platform, token, size, seconds).run();
}

/** The version of an executable of Node.js, such as `v24.21.0`. */
const versionOf = (nodePath: string): string =>
  execFileSync(nodePath, ['--version'], { encoding: 'utf8' }).trim();

/** Compares this platform with another checkout, or with itself on another executable of Node.js. */
async function pairs(before: Version, after: Version, seconds: number): Promise<boolean> {
  await new PairsBench([before, after], {
    seconds,
    rounds: wholeNumber('rounds', values.rounds),
    connections: wholeNumber('connections', values.connections),
  }).run();
  return true;
}

/** Runs the benchmark selected by the options. */
async function measureSelected(
  platform: Platform,
  token: string,
  logDir: string,
  seconds: number,
): Promise<boolean> {
  if (values.hostile) return new HostileBench(platform, seconds).run();
  const searchFields = values['search-fields'];
  if (searchFields !== undefined) {
    const size = wholeNumber('search-fields', searchFields);
    await loadSample(platform, 0, size);
    return new SearchFieldsBench(platform, token, size, seconds).run();
  }
  if (values.export !== undefined) {
    const size = wholeNumber('export', values.export);
    return new LargeExportBench(platform, platformSubject(platform), token, size).run();
  }
  if (values.webhooks !== undefined) {
    const endpoints = wholeNumber('webhooks', values.webhooks);
    const hanging = Math.floor(endpoints / 10);
    await new WebhookBench(platform, token, { endpoints, hanging, receipts: webhookReceipts }).run();
    return true;
  }
  if (values.with !== undefined) {
    const isRight = await searches(platform, token, wholeNumber('with', values.with), seconds);
    return (await hotPaths(platform, token, logDir, seconds)) && isRight;
  }
  if (!values.search) return hotPaths(platform, token, logDir, seconds);
  const options = { sizes: sizesOf(values.sizes), secondsPerRow: seconds };
  await new SearchBench(platform, token, options).run();
  return true;
}

async function main(): Promise<boolean> {
  const seconds = wholeNumber('seconds', values.seconds ?? (values.search ? '3' : '6'));
  const { node, against } = values;
  if (node !== undefined) {
    return pairs({ name: process.version }, { name: versionOf(node), nodePath: node }, seconds);
  }
  if (against !== undefined) {
    return pairs({ name: against, checkout: against }, { name: 'this checkout' }, seconds);
  }
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-bench-'));
  const { AMQP_URL: _amqp, MONGODB_URI: _mongo, ...inherited } = process.env;
  console.log('Starting a separate platform ...');
  const busy = values.busy ? takeCore() : undefined;
  const receiver = values.hops ? new SpanReceiver() : undefined;
  const platform = await Platform.start({
    settings: readLocalSettings({ ...inherited, PORT: '0', DATA_DIR: dataDir }, process.cwd()),
    isolated: true,
    env: receiver ? { OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen() } : {},
  });
  try {
    const { kid, secret } = platform.credentials.bearer;
    const token = bearerToken({ key: kid, secret });
    console.log(`${os.cpus().length} cores, Node ${process.versions.node}, ${seconds} s each`);
    if (receiver) return await new HopsBench(platform.baseUrl, token, receiver).measure();
    return await measureSelected(platform, token, path.join(dataDir, 'logs'), seconds);
  } finally {
    busy?.stop();
    await platform.stop();
    await receiver?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
