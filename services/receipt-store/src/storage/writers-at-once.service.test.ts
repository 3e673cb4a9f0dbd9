import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import type { WriterReport, WriterTask } from '../testing/writer-process';
import { receiptCollection, type StoredReceipt } from './receipt-document';
import { Receipts, type ListedReceipt } from './receipts';

/**
 * Here, writers are separate processes that run the compiled code, so that they can be paused and killed during a
 * write.
 */
const writerProcess = path.resolve(__dirname, '../../dist/testing/writer-process.js');
const databaseName = testDatabase();

let mongo: Mongo;
let database: Database;
let receipts: Receipts;
let collection: Collection<StoredReceipt>;

beforeAll(async () => {
  mongo = await startMongo();
  database = await openTestDatabase({ uri: mongo.uri, database: databaseName });
  collection = await database.collection<StoredReceipt>(receiptCollection);
  receipts = new Receipts(collection);
});

afterAll(async () => {
  await database.close();
  await mongo.stop();
});

const timeLimit = () => ({ deadline: Date.now() + 60_000 });
const idsOf = (found: readonly ListedReceipt[]) =>
  found.map(({ text }) => (JSON.parse(text.toString()) as { id: string }).id);

/**
 * Writers that have not exited: a failed test may leave some, and a paused writer would prevent the test run from
 * ending.
 */
const running = new Set<Writer>();

afterEach(async () => {
  await Promise.all([...running].map((writer) => writer.signal('SIGKILL')));
});

class Writer {
  readonly added: string[] = [];
  taken = 0;
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;
  private onReport: (() => void)[] = [];

  constructor(task: Omit<WriterTask, 'uri' | 'database'>) {
    running.add(this);
    this.child = fork(writerProcess, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.exit = once(this.child, 'exit').finally(() => running.delete(this));
    this.child.on('message', ({ added, taken }: WriterReport) => {
      this.added.push(...added);
      this.taken += taken;
      for (const wake of this.onReport.splice(0)) wake();
    });
    this.child.send({ ...task, uri: mongo.uri, database: databaseName });
  }

  /**
   * Resolves after this many further reports, or when the writer has exited: a fast writer may finish before others
   * begin.
   */
  async reports(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      await Promise.race([new Promise<void>((wake) => this.onReport.push(wake)), this.exit]);
    }
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    if (signal === 'SIGKILL') await this.exit;
  }

  /** @throws Error if the writer exited because of a fault */
  async end(): Promise<void> {
    const [code] = (await this.exit) as [number | null];
    if (code !== 0) throw new Error(`a writer exited with ${code}`);
  }
}

function startWriters(retailer: string, count: number, batches: number): Writer[] {
  return Array.from({ length: count }, (_, n) => new Writer({ retailer, name: `${retailer}-${n}`, batches }));
}

/** Reads arriving receipts until everything is written and read. */
async function follow(retailer: string, isWritten: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let at = 0;
  for (;;) {
    const isLast = isWritten();
    const end = await receipts.lastNumber(retailer, timeLimit());
    const range = { above: at, upTo: end, from: 'oldest' as const, count: 17 };
    const page = await receipts.list(retailer, {}, range, timeLimit());
    seen.push(...idsOf(page).reverse());
    at = page[0]?.arrival ?? at;
    if (isLast && at === end) return seen;
  }
}

/** Pages back from the current position. */
async function pageBack(retailer: string): Promise<string[]> {
  const seen: string[] = [];
  let upTo = await receipts.lastNumber(retailer, timeLimit());
  for (;;) {
    const range = { above: 0, upTo, from: 'newest' as const, count: 23 };
    const page = await receipts.list(retailer, {}, range, timeLimit());
    if (page.length === 0) return seen.reverse();
    seen.push(...idsOf(page));
    upTo = (page.at(-1) as ListedReceipt).arrival - 1;
  }
}

/** The complete order, after checking that its numbers have no gaps and that no id appears twice. */
async function checkedOrder(retailer: string): Promise<string[]> {
  const all = await collection
    .find({ retailer }, { sort: { arrival: 1 }, projection: { arrival: 1 } })
    .toArray();
  expect(all.map(({ arrival }) => arrival)).toEqual(all.map((_receipt, i) => i + 1));
  return all.map(({ _id }) => _id);
}

async function pageWhile(retailer: string, writers: readonly Writer[], isWritten: () => boolean) {
  const pages: { readonly before: readonly string[]; readonly seen: readonly string[] }[] = [];
  while (!isWritten()) {
    const before = writers.flatMap(({ added }) => added);
    pages.push({ before, seen: await pageBack(retailer) });
  }
  return pages;
}

test.each([1, 2, 4, 8])(
  'never misses, repeats or reorders a receipt when %i processes write for one retailer',
  async (count) => {
    const retailer = newId();
    const batches = 24;
    const writers = startWriters(retailer, count, batches);
    let written = false;
    const isWritten = () => written;
    const writing = Promise.all(writers.map((writer) => writer.end())).finally(() => (written = true));
    const [followed, pages] = await Promise.all([
      follow(retailer, isWritten),
      pageWhile(retailer, writers, isWritten),
      writing,
    ]);
    const order = await checkedOrder(retailer);
    expect(followed).toEqual(order);
    expect(writers.flatMap(({ added }) => added).sort()).toEqual([...order].sort());
    expect(writers.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThan(count === 1 ? -1 : 0);
    for (const { before, seen } of pages) {
      // A paging reader sees the order as it was when the reader began, with everything acknowledged by then.
      expect(seen).toEqual(order.slice(0, seen.length));
      const sight = new Set(seen);
      expect(before.filter((id) => !sight.has(id))).toEqual([]);
    }
  },
);

test('hides nothing and leaves no gaps when writers are paused and killed during a write', async () => {
  const retailer = newId();
  const batches = 60;
  const writers = startWriters(retailer, 4, batches);
  const [paused, killed, alsoKilled, steady] = writers as [Writer, Writer, Writer, Writer];
  let written = false;
  const following = follow(retailer, () => written);
  // If the test fails before it waits for this, its own failure is reported.
  following.catch(() => undefined);
  await Promise.all(writers.map((writer) => writer.reports(3)));
  await paused.signal('SIGSTOP');
  for (const victim of [killed, alsoKilled]) {
    await victim.reports(2);
    await victim.signal('SIGKILL');
    const accepted = [...victim.added];
    // The write returns immediately, no matter at which step another writer is paused.
    const listed = new Set(await pageBack(retailer));
    expect(accepted.filter((id) => !listed.has(id))).toEqual([]);
  }
  await steady.reports(2);
  await paused.signal('SIGCONT');
  await Promise.all([paused.end(), steady.end()]).finally(() => (written = true));
  const followed = await following;
  const order = await checkedOrder(retailer);
  expect(followed).toEqual(order);
  const there = new Set(order);
  for (const { added } of writers) expect(added.filter((id) => !there.has(id))).toEqual([]);
  expect(steady.added.length + steady.taken).toBeGreaterThan(batches);
});
