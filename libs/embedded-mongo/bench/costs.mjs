/**
 * Measures the throughput, latency and CPU cost of common operations: `node bench/costs.mjs` after a build, about half
 * a minute. Starts the built server as a separate process and drives it over loopback with the official driver, which
 * shares the machine's cores with it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { MongoClient, ObjectId } from 'mongodb';

const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-bench-'));
const main = join(fileURLToPath(import.meta.url), '../../dist/main.js');
const server = spawn(process.execPath, [main, '--path', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) =>
  server.stdout.once('data', (b) => resolve(Number(/\d+/.exec(b)[0]))),
);
const client = await new MongoClient(`mongodb://127.0.0.1:${port}/`, { maxPoolSize: 64 }).connect();
const db = client.db('bench');

const tickMs = 10;
function serverCpuMs() {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

async function rate(name, total, inFlight, run) {
  const ms = [];
  const cpu = serverCpuMs();
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < total) {
        const i = next++;
        const from = performance.now();
        await run(i);
        ms.push(performance.now() - from);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  ms.sort((a, b) => a - b);
  const at = (p) => ms[Math.floor(ms.length * p)].toFixed(2).padStart(7);
  const each = (((serverCpuMs() - cpu) * 1000) / total).toFixed(0);
  console.log(
    `${name.padEnd(52)} ${(total / seconds).toFixed(0).padStart(6)}/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  server cpu ${each} µs`,
  );
}

const small = (i) => ({ _id: new ObjectId(), i, name: `user${i}`, at: new Date() });
await rate('ping, 1 in flight', 2_000, 1, () => db.command({ ping: 1 }));
await rate('insertOne, 1 in flight', 1_500, 1, (i) => db.collection('one').insertOne(small(i)));
await rate('insertOne, 64 in flight', 30_000, 64, (i) => db.collection('many').insertOne(small(i)));
await rate('updateOne $inc by _id, 64 in flight', 15_000, 64, (i) =>
  db.collection('counters').updateOne({ _id: i % 500 }, { $inc: { n: 1 } }, { upsert: true }),
);

const wordCount = 4_000;
const word = (n) => `w${(n % wordCount).toString(36)}`;
const text = 'lorem ipsum dolor sit amet '.repeat(42);
const full = (i) => ({
  _id: new ObjectId(),
  room: `room${i % 50}`,
  kind: i % 3,
  at: new Date(1.7e12 + i * 1000),
  user: `u${i % 997}`,
  seq: i,
  state: ['open', 'done', 'held'][i % 3],
  words: Array.from({ length: 20 }, (_, j) => word(i * 31 + j * 197)),
  text,
});
const docs = db.collection('documents');
await docs.createIndexes([
  { key: { room: 1, kind: 1, at: -1, _id: -1 } },
  { key: { user: 1, at: -1 } },
  { key: { seq: 1 }, unique: true },
  { key: { state: 1, at: 1 } },
  { key: { words: 1 } },
]);
const batchSize = 1_000;
let seq = 0;
for (const total of [10_000, 60_000]) {
  await rate(`insertMany of ${batchSize} with 25 keys each, to ${total}`, (total - seq) / batchSize, 1, () =>
    docs.insertMany(Array.from({ length: batchSize }, () => full(seq++))),
  );
  const room = (i) => ({ room: `room${i % 50}`, kind: i % 3 });
  await rate(`page of 20 by an index, of ${total}`, 1_500, 1, (i) =>
    docs.find(room(i)).sort({ at: -1, _id: -1 }).limit(20).toArray(),
  );
  await rate(`findOne by a unique index, of ${total}`, 3_000, 1, (i) =>
    docs.findOne({ seq: (i * 7919) % seq }),
  );
  await rate(`20 by a word, of ${total}`, 1_500, 1, (i) =>
    docs
      .find({ words: word(i) })
      .limit(20)
      .toArray(),
  );
  await rate(`countDocuments by an index, of ${total}`, 1_000, 1, (i) => docs.countDocuments(room(i)));
}
const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
const anonymous = Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024);
console.log(
  `memory besides mapped pages ${anonymous} MB, file ${Math.round(statSync(join(folder, 'data.mdb')).size / 1e6)} MB`,
);

await client.close();
server.kill('SIGTERM');
await new Promise((resolve) => server.once('exit', resolve));
rmSync(folder, { recursive: true, force: true });
