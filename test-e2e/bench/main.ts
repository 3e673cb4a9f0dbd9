import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Child, Platform, readLocalSettings, serviceNames } from '@receipts/local';
import { bearerToken } from '../harness/credentials';
import { request } from '../harness/http';
import { measure, type Measurement, type Watched } from './measure';
import type { LoadPlan } from './load';
import { SearchBench } from './search';

/**
 * `npm run bench`: the hot paths on a platform of its own, beside the bare server in the same run.
 * `npm run bench -- --seconds 10 --connections 64`
 * `npm run bench -- --search --sizes 10000,1000000`: lists and searches as the number of receipts grows, instead.
 */
const readyTimeoutMs = 20_000;
const warmUpSeconds = 5;

interface Arguments {
  readonly seconds: number;
  readonly connections: number;
  /** Present when lists and searches are to be measured: numbers of receipts, ascending. */
  readonly searchSizes?: readonly number[];
}

function readArguments(argv: readonly string[]): Arguments {
  const valueOf = (name: string, fallback: number): number => {
    const index = argv.indexOf(`--${name}`);
    const value = index < 0 ? fallback : Number(argv[index + 1]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`);
    return value;
  };
  const isSearch = argv.includes('--search');
  const sizes = argv.includes('--sizes') ? (argv[argv.indexOf('--sizes') + 1] ?? '') : '10000,1000000';
  const searchSizes = sizes.split(',').map(Number);
  if (searchSizes.some((size, i) => !Number.isInteger(size) || size <= (searchSizes[i - 1] ?? 0))) {
    throw new Error('--sizes are whole numbers in ascending order, with commas between them');
  }
  return {
    seconds: valueOf('seconds', isSearch ? 3 : 8),
    connections: valueOf('connections', 64),
    ...(isSearch && { searchSizes }),
  };
}

const items = Array.from({ length: 5 }, (_, index) => ({
  name: `Cotton shirt number ${index}`,
  quantity: index + 1,
  total: 19.99 + index,
  vat: { rate: 20, amount: 3.33 },
  properties: {
    product_code: `CODE-${index}`,
    category: 'clothing',
    details: ['blue', 'size 40', 'pure cotton'],
  },
}));
const receiptBody = JSON.stringify({
  transaction_id: 'bench-%UNIQUE%%%',
  localtime: '2026-03-14T12:30:00',
  store_reference: 1,
  total: 109.95,
  items,
  payments: [{ method: 'card', amount: 109.95, details: { number: '1234', type: 'visa' } }],
  properties: { operator: 'Anna', salesperson: 'Joe Smith', note: 'x'.repeat(300) },
});
const packetBody = JSON.stringify({ vendor: 'none', number: '%UNIQUE%%%', padding: 'y'.repeat(1950) });

interface Row {
  readonly name: string;
  readonly ours: Measurement;
  readonly bare?: Measurement | undefined;
}

function printRow({ name, ours, bare }: Row): void {
  const line = (label: string, result: Measurement) => {
    const speed = `${String(result.perSecond).padStart(7)} req/s  p50 ${result.p50Ms} ms  p99 ${result.p99Ms} ms`;
    console.log(`  ${label.padEnd(9)}${speed}  unexpected ${result.unexpected}`);
    if (result.firstUnexpected !== undefined)
      console.log(`    first unexpected: ${result.firstUnexpected.slice(0, 300)}`);
    for (const cost of result.costs) {
      if (cost.cpuPer1000 < 0.0005) continue;
      console.log(
        `    ${cost.name.padEnd(16)} ${cost.cpuPer1000.toFixed(4)} CPU s per 1,000   ${cost.memoryMb} MB`,
      );
    }
  };
  console.log(`\n${name}`);
  line('platform', ours);
  if (!bare) return;
  line('bare', bare);
  console.log(`  ratio    ${(ours.perSecond / bare.perSecond).toFixed(2)}`);
}

class Bench {
  private unique = Date.now() % 1_000_000_000;

  constructor(
    private readonly platform: Platform,
    private readonly bare: { port: number; watched: readonly Watched[] },
    private readonly token: string,
    private readonly options: Arguments,
  ) {}

  private plan(
    overrides: Partial<LoadPlan> & Pick<LoadPlan, 'method' | 'paths' | 'expectedStatus'>,
  ): LoadPlan {
    // Every run gets a range of its own, wide enough that two runs never meet.
    this.unique += 10_000_000;
    return {
      port: Number(new URL(this.platform.baseUrl).port),
      connections: this.options.connections,
      seconds: this.options.seconds,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      uniqueFrom: this.unique % 9_000_000_000,
      ...overrides,
    };
  }

  /** The first seconds compile code; they are not measured. */
  private async warmUp(plan: LoadPlan): Promise<void> {
    const uniqueFrom = plan.uniqueFrom + 5_000_000;
    for (const port of [this.bare.port, plan.port]) {
      await measure({ ...plan, port, seconds: warmUpSeconds, uniqueFrom }, []);
    }
  }

  private watched(): Watched[] {
    const services = serviceNames.flatMap((name) => this.platform.instances(name));
    const ours = services.map(({ name, pid }) => ({ name, pid: pid ?? 0 }));
    const store = this.platform.store.pid;
    return store === undefined ? ours : [...ours, { name: 'store', pid: store }];
  }

  private async pair(name: string, plan: LoadPlan): Promise<void> {
    const bare = await measure({ ...plan, port: this.bare.port }, this.bare.watched);
    const ours = await measure(plan, this.watched());
    printRow({ name, ours, bare });
  }

  async run(): Promise<void> {
    const { options } = this;
    const packets = this.plan({
      method: 'POST',
      paths: ['/pos/receipts'],
      body: packetBody,
      expectedStatus: 202,
    });
    const receipts = this.plan({
      method: 'POST',
      paths: ['/receipts'],
      body: receiptBody,
      expectedStatus: 201,
    });
    await this.warmUp(receipts);
    await this.pair(`POST /receipts (1.5 KB, ${options.connections} connections)`, receipts);
    const lone = this.plan({
      method: 'POST',
      paths: ['/receipts'],
      body: receiptBody,
      expectedStatus: 201,
      connections: 1,
    });
    await this.pair('POST /receipts (a lone connection)', { ...lone, seconds: Math.min(4, options.seconds) });
    await this.reads();
    // Last, because packets are converted for a good while after they were taken in.
    await this.warmUp(packets);
    await this.pair(`POST /pos/receipts (2 KB, ${options.connections} connections)`, packets);
    const packet = { ...packets, connections: 1, seconds: Math.min(4, options.seconds) };
    await this.pair('POST /pos/receipts (a lone connection)', packet);
  }

  private async reads(): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    const ids: string[] = [];
    for (let path = '/receipts'; ids.length < 200;) {
      const page = await request(this.platform.baseUrl, path, {
        headers: { ...headers, 'service-api-version': '2' },
      });
      ids.push(...(page.body.receipts as { id: string }[]).map(({ id }) => id));
      const next = page.body._links.next?.href as string | undefined;
      if (next === undefined) break;
      path = next;
    }
    const paths = ids.map((id) => `/receipts/${id}`);
    const one = this.plan({ method: 'GET', paths, headers, expectedStatus: 200 });
    printRow({ name: 'GET /receipts/{id}', ours: await measure(one, this.watched()) });
    const list = this.plan({ method: 'GET', paths: ['/receipts'], headers, expectedStatus: 200 });
    printRow({ name: 'GET /receipts (20 of all)', ours: await measure(list, this.watched()) });
  }
}

async function startBare(amqpUrl: string, logDir: string): Promise<Child[]> {
  const script = path.join(__dirname, 'bare.js');
  const child = (role: string) =>
    new Child({ name: `bare-${role}`, script, args: [role, amqpUrl], env: process.env, logDir });
  const children = [child('service'), child('gateway')];
  for (const one of children) await one.start(readyTimeoutMs);
  return children;
}

async function main(): Promise<void> {
  const options = readArguments(process.argv.slice(2));
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-bench-'));
  const environment = { ...process.env, PORT: '0', DATA_DIR: dataDir };
  console.log('Starting a platform of its own ...');
  const platform = await Platform.start({
    settings: readLocalSettings(environment, process.cwd()),
    isolated: true,
  });
  let bare: Child[] = [];
  try {
    const { kid, secret } = platform.credentials.bearer;
    const token = bearerToken({ key: kid, secret });
    console.log(`${os.cpus().length} cores, Node ${process.versions.node}, ${options.seconds} s each`);
    if (options.searchSizes) {
      const { searchSizes: sizes, seconds: secondsPerRow } = options;
      return await new SearchBench(platform, token, { sizes, secondsPerRow }).run();
    }
    bare = await startBare(platform.broker.url, path.join(dataDir, 'logs'));
    const watched = bare.map(({ name, pid }) => ({ name, pid: pid ?? 0 }));
    const port = Number(bare[1]?.facts['port']);
    await new Bench(platform, { port, watched }, token, options).run();
  } finally {
    await Promise.all(bare.map((child) => child.stop()));
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exit(1);
});
