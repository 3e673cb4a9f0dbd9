import type { Collection } from 'mongodb';
import { defineEvent, newId, serializeEvent, type SerializedEvent } from '@receipts/kernel';
import { startDatabase, readEvent, silentLog } from '@receipts/testing';
import fc from 'fast-check';
import { z } from 'zod';
import { CreatedEventRelay, type CreatedEventRelayOptions } from './created-event-relay';
import type { Head } from './created-event-sweep';
import type { Database } from './connect-database';
import { lease, leaseCollection, type LeaseDocument } from './lease';
import type { WatermarkDocument } from './watermarks';

interface Sale {
  readonly retailer: string;
  readonly arrival: number;
  readonly id: string;
  readonly at: Date;
}

const saleMade = defineEvent({
  type: 'sale.made',
  owner: 'test',
  collection: 'sales',
  summary: 'A sale',
  description: 'For tests.',
  data: z.object({ arrival: z.number() }),
});

function eventsOf({ id, retailer, arrival, at }: Sale): SerializedEvent[] {
  const origin = { id, at, retailer, requestId: id };
  return [serializeEvent(saleMade, { subject: id, sequence: 1, data: { arrival } }, origin)];
}

/** A broker that can be unavailable, reject some events, and hold back confirms. */
class FakeBroker {
  readonly published: { readonly retailer: string; readonly arrival: number }[] = [];
  isAway = false;
  refuses = new Set<number>();
  /** Holds back the confirms of batches that contain this number. */
  held: { readonly arrival: number; readonly until: Promise<void> } | undefined;

  readonly publish = async (printed: readonly SerializedEvent[]): Promise<readonly boolean[]> => {
    const sales = printed.map(readEvent).map(({ retailer, data }) => ({
      retailer,
      arrival: (data as { arrival: number }).arrival,
    }));
    if (this.held && sales.some(({ arrival }) => arrival === this.held?.arrival)) await this.held.until;
    if (this.isAway) throw new Error('no broker');
    const confirms = sales.map(({ arrival }) => !this.refuses.has(arrival));
    this.published.push(...sales.filter((_sale, i) => confirms[i]));
    return confirms;
  };

  arrivals(retailer: string): number[] {
    return this.published.filter((sale) => sale.retailer === retailer).map(({ arrival }) => arrival);
  }
}

let database: Database;
let watermarks: Collection<WatermarkDocument>;
let leases: Collection<LeaseDocument>;
let broker: FakeBroker;
let sales: Sale[];
let relays: CreatedEventRelay<Sale>[];
let names = 0;
let clock: number;

beforeAll(async () => {
  database = await startDatabase();
  leases = await database.collection<LeaseDocument>(leaseCollection);
});
afterAll(() => database.close());
beforeEach(async () => {
  broker = new FakeBroker();
  sales = [];
  relays = [];
  clock = Date.now();
  watermarks = await database.collection<WatermarkDocument>({ name: `marks_${names++}`, indexes: [] });
});
afterEach(async () => {
  for (const relay of relays) await relay.stop(200);
});

const headOf = (retailer: string): Head => ({
  retailer,
  last: Math.max(...sales.filter((sale) => sale.retailer === retailer).map(({ arrival }) => arrival)),
});

/**
 * A relay that shares its data with the others, like another process. It moves watermarks and sweeps only when called.
 */
function relayWith(options: Partial<CreatedEventRelayOptions<Sale>> = {}): CreatedEventRelay<Sale> {
  const relay = new CreatedEventRelay<Sale>({
    name: 'sales',
    watermarks,
    createdAt: ({ at }) => at,
    eventsOf,
    readAfter: async (retailer, arrival, countMax) =>
      sales
        .filter((sale) => sale.retailer === retailer && sale.arrival > arrival)
        .sort((a, b) => a.arrival - b.arrival)
        .slice(0, countMax),
    lastOf: async (of) =>
      Math.max(0, ...sales.filter(({ retailer }) => retailer === of).map(({ arrival }) => arrival)),
    headPages: () => async () => [...new Set(sales.map(({ retailer }) => retailer))].map(headOf),
    publish: broker.publish,
    lease: lease(leases, `sweep ${names}`, 10_000, () => clock),
    log: silentLog,
    stalledAfterMs: 1_000,
    now: () => clock,
    ...options,
  });
  relays.push(relay);
  return relay;
}

/** Inserts `count` documents after the existing documents. */
function inserted(count: number, retailer = 'r'): Sale[] {
  const last = Math.max(
    0,
    ...sales.filter((sale) => sale.retailer === retailer).map(({ arrival }) => arrival),
  );
  const made = Array.from({ length: count }, (_, i) => ({
    retailer,
    arrival: last + 1 + i,
    id: newId(),
    at: new Date(clock),
  }));
  sales.push(...made);
  return made;
}

const watermarkOf = async (retailer = 'r') => (await watermarks.findOne({ _id: retailer }))?.upTo;
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The first sweep records that the watermark is not moving; the second one runs after `stalledAfterMs`. */
async function sweepTwice(relay: CreatedEventRelay<Sale>): Promise<number> {
  await relay.sweep();
  clock += 1_001;
  return relay.sweep();
}

test('publishes inserted documents and moves one watermark per retailer', async () => {
  const relay = relayWith();
  relay.enqueue([...inserted(700), ...inserted(3, 's')]);
  await relay.flush();
  expect(broker.arrivals('r')).toEqual(numbers(1, 700));
  expect(await watermarkOf()).toBeUndefined();
  await relay.moveWatermarks();
  expect([await watermarkOf('r'), await watermarkOf('s')]).toEqual([700, 3]);
  expect(await sweepTwice(relay)).toBe(0);
  expect(await relay.backlog()).toEqual({ documents: 0, oldestAgeMs: 0 });
});

/** A relay, and the number of documents in each of its batches. */
function countedRelay(batchWindowMs: number) {
  const batches: number[] = [];
  const relay = relayWith({
    batchWindowMs,
    publish: (events) => {
      batches.push(events.length);
      return broker.publish(events);
    },
  });
  return { relay, batches };
}

test('publishes the first document immediately and the next documents together, without delay on flush and stop', async () => {
  const { relay, batches } = countedRelay(3_600_000);
  relay.enqueue(inserted(1));
  expect(batches).toEqual([1]);
  for (let i = 0; i < 3; i++) relay.enqueue(inserted(1));
  expect(batches).toEqual([1]);
  await relay.flush();
  expect(batches).toEqual([1, 3]);

  relay.enqueue(inserted(2));
  await relay.stop();
  expect(batches).toEqual([1, 3, 2]);
  expect(broker.arrivals('r')).toEqual(numbers(1, 6));
  expect(await watermarkOf()).toBe(6);
});

test('leaves documents whose preparation fails to the sweep, and publishes those that are ready', async () => {
  const relay = relayWith({
    // A change to the second document has published its events.
    prepare: async (documents) => {
      if (isAway) throw new Error('not now');
      return documents.map((sale) => ({ ...sale, isChanged: sale.arrival === 2 }));
    },
    eventsOf: (sale) => ('isChanged' in sale && sale.isChanged ? [] : eventsOf(sale)),
  });
  let isAway = true;
  relay.enqueueWhen(Promise.reject(new Error('not now')));
  relay.enqueueWhen(Promise.resolve().then(() => inserted(1, 's')));
  inserted(3);
  await relay.flush();
  expect([broker.arrivals('r'), broker.arrivals('s')]).toEqual([[], [1]]);
  expect(await sweepTwice(relay)).toBe(0);
  isAway = false;
  expect(await relay.sweep()).toBe(3);
  expect([broker.arrivals('r'), broker.arrivals('s')]).toEqual([[1, 3], [1]]);
  expect(await watermarkOf()).toBe(3);
});

test('sweeps the documents of one retailer although those of another cannot be prepared', async () => {
  const relay = relayWith({
    prepare: async (documents) => {
      if (documents.some(({ retailer }) => retailer === 'r')) throw new Error('not now');
      return documents;
    },
  });
  inserted(1, 'r');
  inserted(1, 's');
  expect(await sweepTwice(relay)).toBe(1);
  expect(broker.published).toEqual([{ retailer: 's', arrival: 1 }]);
});

test('publishes a new document that has the number of one that the database has lost', async () => {
  const relay = relayWith();
  relay.enqueue(inserted(2));
  await relay.flush();
  await relay.moveWatermarks();
  sales.pop();
  relay.enqueue(inserted(1));
  await relay.flush();
  expect(broker.arrivals('r')).toEqual([1, 2, 2]);
});

test('publishes waiting documents immediately when their first events are asked for', async () => {
  const { relay, batches } = countedRelay(3_600_000);
  relay.enqueue(inserted(1));
  const [waiting] = inserted(2);
  relay.enqueue([waiting as Sale]);
  await relay.isPublished(waiting as Sale);
  expect(batches).toEqual([1, 1]);
});

test('does not delay a full batch, and delays a few documents only briefly', async () => {
  const many = countedRelay(3_600_000);
  many.relay.enqueue(inserted(1));
  many.relay.enqueue(inserted(256));
  expect(many.batches).toEqual([1, 256]);

  const few = countedRelay(5);
  few.relay.enqueue(inserted(1, 's'));
  few.relay.enqueue(inserted(1, 's'));
  while (broker.arrivals('s').length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(few.batches).toEqual([1, 1]);
});

test('loses nothing when a process crashes between insert and publishing', async () => {
  inserted(250);
  const other = relayWith();
  expect(await other.sweep()).toBe(0);
  expect(await other.backlog()).toEqual({ documents: 250, oldestAgeMs: 0 });
  clock += 1_001;
  expect(await other.backlog()).toEqual({ documents: 250, oldestAgeMs: 1_001 });
  expect(await other.sweep()).toBe(250);
  expect(broker.arrivals('r')).toEqual(numbers(1, 250));
  expect(await watermarkOf()).toBe(250);
});

test('sweeps each retailer in turn, no matter how often the backlog is read between sweeps', async () => {
  const retailers = ['r', 's'];
  for (const retailer of retailers) inserted(5, retailer);
  const other = relayWith({
    headPages: () => {
      let next = 0;
      return async () => [headOf(retailers[next++ % retailers.length] as string)];
    },
  });
  for (let sweep = 0; sweep < 2 * retailers.length; sweep++) {
    await other.sweep();
    await other.backlog();
    clock += 1_001;
  }
  for (const retailer of retailers) expect(broker.arrivals(retailer)).toEqual(numbers(1, 5));
});

test('publishes events again when a process crashes between confirm and watermark', async () => {
  const dead = relayWith();
  dead.enqueue(inserted(10));
  await dead.flush();
  const other = relayWith();
  expect(await sweepTwice(other)).toBe(10);
  expect(broker.arrivals('r')).toEqual([...numbers(1, 10), ...numbers(1, 10)]);
  expect(await watermarkOf()).toBe(10);
});

test('does not sweep while a watermark moves', async () => {
  const [writer, other] = [relayWith(), relayWith()];
  for (let round = 0; round < 3; round++) {
    writer.enqueue(inserted(5));
    await writer.flush();
    await writer.moveWatermarks();
    inserted(1).forEach((sale) => writer.enqueue([sale]));
    await writer.flush();
    expect(await other.sweep()).toBe(0);
    clock += 1_001;
  }
  expect(broker.arrivals('r')).toHaveLength(18);
});

test('moves a watermark with two writers, but never past an unpublished number', async () => {
  const [a, b] = [relayWith(), relayWith()];
  const [first, second, third] = [inserted(3), inserted(3), inserted(3)];
  a.enqueue(first);
  a.enqueue(third);
  await a.flush();
  await a.moveWatermarks();
  expect(await watermarkOf()).toBe(3);
  expect(await a.backlog()).toMatchObject({ documents: 3 });
  b.enqueue(second);
  await b.flush();
  // The ranges of `a` are stored in `completedRanges`, so one move takes the watermark over all of them.
  await b.moveWatermarks();
  expect(await watermarks.findOne({ _id: 'r' })).toEqual({
    _id: 'r',
    upTo: 9,
    rev: 2,
    created_at: expect.any(Date) as Date,
  });
  expect(await a.backlog()).toEqual({ documents: 0, oldestAgeMs: 0 });
  expect(broker.arrivals('r').sort()).toEqual(numbers(1, 9));
});

test('keeps the watermark up with any number of writers, and publishes nothing twice when they pause', async () => {
  const writers = [relayWith(), relayWith(), relayWith(), relayWith()];
  const insert = fc.record({ writer: fc.constantFrom(...writers), count: fc.integer({ min: 1, max: 3 }) });
  const seconds = fc.sample(fc.array(insert, { minLength: 40, maxLength: 40 }), { numRuns: 20, seed: 7 });
  for (const inserts of seconds) {
    for (const { writer, count } of inserts) writer.enqueue(inserted(count));
    await Promise.all(writers.map((writer) => writer.flush()));
    // All writers move at the same time, so that their updates of the same watermark collide.
    await Promise.all(writers.map((writer) => writer.moveWatermarks()));
    expect(await watermarkOf()).toBe(sales.length);
  }
  for (const writer of writers) expect(await sweepTwice(writer)).toBe(0);
  expect(broker.published).toHaveLength(sales.length);
});

test('sweeps only documents that existed when the watermark was first seen to have stopped', async () => {
  const [dead, alive, sweeper] = [inserted(3), relayWith(), relayWith()];
  alive.enqueue(inserted(3));
  await alive.flush();
  await alive.moveWatermarks();
  expect(await sweeper.sweep()).toBe(0);
  clock += 1_001;
  // These documents are published, but not yet recorded in the watermark.
  alive.enqueue(inserted(2));
  await alive.flush();
  expect(await sweeper.sweep()).toBe(dead.length);
  expect(await watermarkOf()).toBe(6);
  await alive.moveWatermarks();
  expect(await watermarkOf()).toBe(8);
  expect(broker.arrivals('r').sort()).toEqual(numbers(1, 8));
});

describe('lost watermarks', () => {
  test('are restored by a running process, without publishing anything again', async () => {
    const relay = relayWith();
    relay.enqueue(inserted(300));
    await relay.flush();
    await relay.moveWatermarks();
    await watermarks.drop();
    expect(await relay.backlog()).toEqual({ documents: 0, oldestAgeMs: 0 });
    expect(await sweepTwice(relay)).toBe(0);
    relay.enqueue(inserted(2));
    await relay.flush();
    await relay.moveWatermarks();
    expect(await watermarkOf()).toBe(302);
    expect(broker.arrivals('r')).toHaveLength(302);
  });

  test('are recreated after a restart at a cost that does not depend on the number of documents', async () => {
    inserted(25_000);
    clock += 60 * 60_000;
    const relay = relayWith();
    const { documents, oldestAgeMs } = await relay.backlog();
    expect(documents).toBeLessThanOrEqual(10_000);
    expect(oldestAgeMs).toBe(0);
    expect(await sweepTwice(relay)).toBeLessThanOrEqual(10_000);
    expect(await watermarkOf()).toBe(25_000);
    expect(await relay.backlog()).toEqual({ documents: 0, oldestAgeMs: 0 });
  });

  test("do not hide a new retailer's first documents", async () => {
    broker.isAway = true;
    const relay = relayWith();
    const all = inserted(12_000);
    relay.enqueue(all);
    await relay.flush();
    expect((await relay.backlog()).documents).toBe(12_000);
    broker.isAway = false;
    expect(await sweepTwice(relay)).toBe(12_000);
  });
});

test('sweeps in only one process at a time', async () => {
  inserted(300);
  const [a, b] = [relayWith(), relayWith()];
  await Promise.all([a.sweep(), b.sweep()]);
  clock += 1_001;
  expect((await Promise.all([a.sweep(), b.sweep()])).sort()).toEqual([0, 300]);
  expect(broker.arrivals('r')).toHaveLength(300);
});

test('waits for events in flight before it reports that they are not published', async () => {
  const relay = relayWith();
  let confirm = () => {};
  broker.held = { arrival: 1, until: new Promise((resolve) => (confirm = resolve)) };
  const [sale] = inserted(1) as [Sale];
  relay.enqueueWhen(Promise.resolve([sale]));
  const isPublished = relay.isPublished(sale);
  await relay.backlog();
  confirm();
  expect(await isPublished).toBe(true);
});

test('reports whether the events of a document are published, by this process or by another', async () => {
  const [relay, other] = [relayWith(), relayWith()];
  broker.isAway = true;
  relay.enqueue(inserted(2));
  const isPublished = (by: typeof relay) =>
    Promise.all([1, 2, 3].map((arrival) => by.isPublished({ retailer: 'r', arrival })));
  expect(await isPublished(relay)).toEqual([false, false, false]);
  broker.isAway = false;
  relay.enqueue(sales);
  await relay.flush();
  expect(await isPublished(relay)).toEqual([true, true, false]);
  expect(await isPublished(other)).toEqual([false, false, false]);
  await relay.moveWatermarks();
  expect(await isPublished(other)).toEqual([true, true, false]);
});

test('knows published documents above one that is not', async () => {
  const [relay, other] = [relayWith(), relayWith()];
  inserted(1);
  const [later] = inserted(1);
  relay.enqueue([later as Sale]);
  await relay.flush();
  await relay.moveWatermarks();
  expect(await watermarkOf()).toBe(0);
  expect(await other.isPublished(later as Sale)).toBe(true);
});

test('reads the watermark once for concurrent questions, and never for a document that it knows', async () => {
  const find = jest.spyOn(watermarks, 'find');
  const relay = relayWith();
  const [sale] = inserted(1) as [Sale];
  await Promise.all([relay.isPublished(sale), relay.isPublished(sale)]);
  expect(find).toHaveBeenCalledTimes(1);
  relay.enqueue([sale]);
  await relay.flush();
  expect(await relay.isPublished(sale)).toBe(true);
  expect(find).toHaveBeenCalledTimes(1);
  expect(await watermarkOf()).toBeUndefined();
});

test('publishes and records the events in flight before it stops', async () => {
  const relay = relayWith();
  relay.enqueue(inserted(600));
  await relay.stop();
  expect(await watermarkOf()).toBe(600);
});
