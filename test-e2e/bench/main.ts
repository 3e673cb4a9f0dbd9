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
import { measureNodeVersions, versionOf } from './node-versions';
import { platformSubject, Yardstick } from './subjects';
import { WebhookBench } from './webhooks';

/**
 * `npm run bench`: the hot paths on a separate platform, compared with a bare server and a NestJS application in the
 * same run.
 * `npm run bench -- --seconds 6 --rounds 3 --connections 64 --only receipts,peers,reads,packets,bulk`
 * `peers` compares with peers that store receipts: an Express monolith, and the same split over RabbitMQ. `--busy`
 * occupies one core with other work.
 *
 * Other benchmarks: `npm run bench -- --search --sizes 10000,1000000`: lists, searches and totals with a growing number
 * of receipts. `npm run bench -- --search-fields 200000`: searches of every field among this many receipts, compared
 * with an evaluation of the receipts, and the time of posting alongside expensive searches. `npm run bench --
 * --webhooks 1000`: this many endpoints, every tenth of which hangs. `npm run bench -- --export 100000`: this many
 * receipts in interrupted downloads, after a run with a fifth of them. `npm run bench -- --with 1000000`: lists,
 * searches, totals, searches of every field, and the hot paths with this many stored receipts. `npm run bench -- --hostile`: expensive bodies,
 * and the response times of other requests meanwhile. `npm run bench -- --hops`: where a single request spends its
 * time. `npm run bench -- --node PATH`: the platform on another version of Node.js next to this one, such as the
 * executable that `npm install --prefix /tmp/node-24 node@24` downloads.
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

/** Measures the platform next to one that runs on another executable of Node.js. */
async function nodeVersions(platform: Platform, nodePath: string, seconds: number): Promise<boolean> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-bench-node-'));
  const env = { ...process.env, AMQP_URL: undefined, MONGODB_URI: undefined, PORT: '0', DATA_DIR: dataDir };
  const settings = readLocalSettings(env, process.cwd());
  const version = versionOf(nodePath);
  if (version === process.versions.node) throw new Error(`--node is the running version, ${version}`);
  const other = await Platform.start({ settings, isolated: true, nodePath });
  try {
    const platforms = new Map([
      [process.versions.node, platform],
      [version, other],
    ]);
    return await measureNodeVersions(platforms, {
      seconds,
      rounds: wholeNumber('rounds', values.rounds),
      connections: wholeNumber('connections', values.connections),
    });
  } finally {
    await other.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Runs the benchmark selected by the options. */
async function measureSelected(
  platform: Platform,
  token: string,
  logDir: string,
  seconds: number,
): Promise<boolean> {
  if (values.node !== undefined) return nodeVersions(platform, values.node, seconds);
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
