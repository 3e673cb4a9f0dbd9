/**
 * Measures the cost of storing receipts. Run after a build: `node bench/receipts.mjs [main.js of another build]`.
 * Documents of about 4.5 KB with 39 index keys each are inserted one at a time and in batches. The figure to compare is
 * the server's CPU time per document.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MongoClient, ObjectId } from 'mongodb';

const { positionals } = parseArgs({ allowPositionals: true });
const main = positionals[0] ?? join(fileURLToPath(import.meta.url), '../../dist/main.js');
const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-bench-'));
const server = spawn(
  process.execPath,
  [...(process.env.SERVER_NODE_ARGS?.split(' ') ?? []), main, '--path', folder],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const port = await new Promise((resolve) =>
  server.stdout.once('data', (b) => resolve(Number(/\d+/.exec(b)[0]))),
);
const client = await new MongoClient(`mongodb://127.0.0.1:${port}/`, { maxPoolSize: 64 }).connect();
const receipts = client.db('bench').collection('receipts');
const present = (field) => ({ partialFilterExpression: { [field]: { $exists: true } } });
await receipts.createIndexes([
  { key: { retailer: 1, seq: 1 }, unique: true },
  { key: { retailer: 1, external: 1 }, unique: true, ...present('external') },
  { key: { retailer: 1, idem: 1 }, unique: true, ...present('idem') },
  { key: { retailer: 1, 'keys.store': 1, seq: 1 } },
  { key: { retailer: 1, identifier: 1, seq: 1, 'keys.store': 1 }, ...present('identifier') },
  { key: { retailer: 1, at: 1, seq: 1 } },
  { key: { retailer: 1, 'search.tokens': 1, seq: 1 } },
  { key: { retailer: 1, 'search.numbers': 1, seq: 1 } },
  { key: { retailer: 1, 'search.kinds': 1, seq: 1 } },
]);

const text = JSON.stringify(
  Array.from({ length: 12 }, (_, i) => ({
    name: `article number ${i}`,
    price: i * 1.5,
    vat: 20,
    quantity: 1,
    total: i * 1.5,
  })),
);
let seq = 0;
const receipt = () => {
  const n = seq++;
  return {
    _id: `${n.toString(36)}${new ObjectId().toHexString()}`,
    retailer: 'demo',
    seq: n,
    external: `POS-${n}`,
    identifier: `customer-${n % 9973}@example.org`,
    at: new Date(1.7e12 + n * 500),
    keys: { store: `store-${n % 40}`, terminal: `t${n % 7}` },
    search: {
      tokens: Array.from({ length: 20 }, (_, j) => `word${(n * 31 + j * j * 197) % 4000}`),
      numbers: Array.from({ length: 8 }, (_, j) => (n * 7 + j * 131) % 5000),
      kinds: ['cash', 'card', `voucher${n % 5}`],
    },
    text: text + text,
    outbox: { at: new Date(), id: `${n}`, request: 'b'.repeat(36) },
  };
};

const serverCpuMs = () => {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

async function measure(batch, inFlight, total) {
  const ms = [];
  const cpu = serverCpuMs();
  const start = performance.now();
  let left = total;
  const loop = async () => {
    while (left > 0) {
      left -= batch;
      const docs = Array.from({ length: batch }, receipt);
      const from = performance.now();
      await client.db('bench').command({ insert: 'receipts', documents: docs });
      ms.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const seconds = (performance.now() - start) / 1000;
  ms.sort((a, b) => a - b);
  const at = (p) => ms[Math.floor(ms.length * p)].toFixed(2).padStart(7);
  const each = (((serverCpuMs() - cpu) * 1000) / total).toFixed(0).padStart(4);
  console.log(
    `batches of ${String(batch).padStart(3)}, ${String(inFlight).padStart(2)} in flight: server cpu ${each} µs per receipt, ${(total / seconds).toFixed(0).padStart(5)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
}
await measure(64, 2, 6_400);
await measure(1, 1, 1_500);
await measure(1, 64, 6_000);
await measure(64, 2, 12_800);
await measure(256, 2, 25_600);
const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
console.log(
  `memory without mapped pages ${Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024)} MB`,
);
await client.close();
server.kill('SIGTERM');
await new Promise((resolve) => server.once('exit', resolve));
rmSync(folder, { recursive: true, force: true });
