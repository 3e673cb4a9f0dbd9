import type { Collection } from 'mongodb';
import { defineEvent, eventOf, newId, type SerializedEvent } from '@receipts/kernel';
import { startDatabase, readEvent, until, silentLog } from '@receipts/testing';
import { z } from 'zod';
import type { Database } from './connect-database';
import { lease, leaseCollection, type LeaseDocument } from './lease';
import { oldestFirst, outboxIndex, outboxItem, pendingFilter, type OutboxItem } from './outbox';
import { OutboxRelay, type OutboxRelayOptions } from './outbox-relay';

interface Thing {
  readonly _id: string;
  readonly name?: string;
  readonly outbox: OutboxItem[];
}

const thingCreated = defineEvent({
  type: 'thing.created',
  owner: 'test',
  collection: 'things',
  summary: 'A thing',
  description: 'For tests.',
  data: z.object({ subject: z.string() }),
});

function eventAt(subject: string, at: Date = new Date()): SerializedEvent {
  const call = { id: newId(), requestId: 'c', retailer: 'r' };
  return eventOf(thingCreated, { subject, sequence: 1, data: { subject } }, call, at);
}

/** A broker that can be unavailable and reject some events. */
class FakeBroker {
  readonly calls: string[][] = [];
  isAway = false;
  refuses = new Set<string>();
  hold: Promise<void> | undefined;

  readonly publish = async (printed: readonly SerializedEvent[]): Promise<readonly boolean[]> => {
    await this.hold;
    if (this.isAway) throw new Error('no broker');
    const events = printed.map(readEvent);
    const confirms = events.map(({ subject }) => !this.refuses.has(subject));
    this.calls.push(events.filter((_event, i) => confirms[i]).map(({ subject }) => subject));
    return confirms;
  };

  get subjects(): string[] {
    return this.calls.flat();
  }
}

describe('the outbox relay', () => {
  let database: Database;
  let things: Collection<Thing>;
  let leases: Collection<LeaseDocument>;
  let relays: OutboxRelay<Thing>[];
  let broker: FakeBroker;
  let names = 0;

  beforeAll(async () => {
    database = await startDatabase();
    leases = await database.collection<LeaseDocument>(leaseCollection);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    relays = [];
    broker = new FakeBroker();
    things = await database.collection<Thing>({ name: `things_${names++}`, indexes: [outboxIndex] });
  });
  afterEach(async () => {
    for (const relay of relays) await relay.stop(200);
  });

  function relayWith(options: Partial<OutboxRelayOptions<Thing>> = {}): OutboxRelay<Thing> {
    const relay = new OutboxRelay<Thing>({
      collection: things,
      publish: broker.publish,
      lease: lease(leases, newId(), 10_000),
      log: silentLog,
      ...options,
    });
    relays.push(relay);
    return relay;
  }

  async function written(count: number, at?: Date): Promise<Thing[]> {
    const documents = Array.from({ length: count }, () => {
      const _id = newId();
      return { _id, outbox: [outboxItem(eventAt(_id, at))] };
    });
    // In batches, because a single write could exceed the time limit of a command on a slow machine.
    for (let at = 0; at < count; at += 1_000) {
      await things.insertMany(documents.slice(at, at + 1_000).map((document) => ({ ...document })));
    }
    return documents;
  }

  const enqueueAll = (relay: OutboxRelay<Thing>, documents: readonly Thing[]) =>
    relay.enqueue(documents.map(({ _id, outbox }) => ({ _id, items: outbox })));

  const minuteAgo = () => new Date(Date.now() - 60_000);

  test('publishes new items and removes them', async () => {
    const relay = relayWith();
    const documents = await written(3);
    enqueueAll(relay, documents);
    await relay.flush();
    expect(broker.subjects).toEqual(documents.map(({ _id }) => _id));
    await until('nothing is in flight', () => relay.inFlight === 0);
    expect(await relay.backlog()).toEqual({ documents: 0, oldestAgeMs: 0 });
    expect(await things.findOne({ _id: documents[0]?._id as string })).toMatchObject({ outbox: [] });
  });

  test('publishes the first item immediately and the next items together', async () => {
    let open = () => {};
    broker.hold = new Promise((resolve) => (open = resolve));
    const relay = relayWith();
    for (const document of await written(40)) enqueueAll(relay, [document]);
    open();
    await relay.flush();
    expect(broker.calls.map((call) => call.length)).toEqual([1, 1, 38]);
  });

  test('removes only confirmed items, and leaves the others to the sweep', async () => {
    const relay = relayWith({ sweepOlderThanMs: 0 });
    const [good, bad] = (await written(2)) as [Thing, Thing];
    broker.refuses.add(bad._id);
    enqueueAll(relay, [good, bad]);
    await relay.flush();
    await until('nothing is in flight', () => relay.inFlight === 0);
    expect(broker.subjects).toEqual([good._id]);
    expect(await relay.backlog()).toMatchObject({ documents: 1 });

    broker.refuses.clear();
    expect(await relay.sweep()).toBe(1);
    expect(broker.subjects).toEqual([good._id, bad._id]);
    expect(await relay.backlog()).toMatchObject({ documents: 0 });
  });

  describe('for the events of one document', () => {
    const _id = newId();
    const [first, second, third] = Array.from({ length: 3 }, () => outboxItem(eventAt(_id, new Date(0))));
    const outbox = [first, second, third] as OutboxItem[];
    const of = (item: OutboxItem | undefined) => outbox.indexOf(item as OutboxItem) + 1;
    let published: number[][];
    let refused: Set<number>;
    const publish = async (events: readonly SerializedEvent[]) => {
      const numbers = events.map(({ id }) => of(outbox.find((item) => item.id === id)));
      published.push(numbers);
      await broker.hold;
      return numbers.map((number) => !refused.has(number));
    };
    const enqueue = (relay: OutboxRelay<Thing>, ...items: OutboxItem[]) => relay.enqueue([{ _id, items }]);
    beforeEach(async () => {
      published = [];
      refused = new Set();
      await things.insertOne({ _id, outbox: [...outbox] });
    });

    test('publishes a later event after the earlier events are confirmed', async () => {
      const relay = relayWith({ publish });
      let letGo = () => undefined as void;
      broker.hold = new Promise((resolve) => (letGo = resolve));
      enqueue(relay, outbox[0] as OutboxItem);
      enqueue(relay, ...outbox.slice(0, 2));
      expect(published).toEqual([[1]]);
      letGo();
      await relay.flush();
      expect(published).toEqual([[1], [2]]);
    });

    test('publishes events behind an unconfirmed event only after it, with the next change or the sweep', async () => {
      const relay = relayWith({ publish });
      refused.add(1);
      enqueue(relay, outbox[0] as OutboxItem);
      enqueue(relay, ...outbox.slice(0, 2));
      await relay.flush();
      expect(published).toEqual([[1]]);
      enqueue(relay, ...outbox);
      await relay.flush();
      expect(published).toEqual([[1], [1, 2, 3]]);
      refused.clear();
      await relay.sweep();
      expect(published.at(-1)).toEqual([1, 2, 3]);
      expect((await things.findOne({ _id }))?.outbox).toEqual([]);
    });
  });

  test('publishes items left by a crashed process, oldest first, and leaves recent items to their writers', async () => {
    // This item stays recent while the test runs, no matter how slow the machine is.
    const young = await written(1, new Date(Date.now() + 3_600_000));
    const old = await written(450, minuteAgo());
    const relay = relayWith();
    expect((await relay.backlog()).oldestAgeMs).toBeGreaterThan(59_000);
    expect(await relay.sweep()).toBe(450);
    expect(new Set(broker.subjects)).toEqual(new Set(old.map(({ _id }) => _id)));
    expect(broker.calls.map((call) => call.length)).toEqual([200, 200, 50]);
    expect(await relay.backlog()).toMatchObject({ documents: young.length });
  });

  test('finds pending documents with the partial index, no matter how many others there are', async () => {
    await things.insertMany(Array.from({ length: 300 }, () => ({ _id: newId(), outbox: [] })));
    await written(2, minuteAgo());
    const plan = await things
      .find({ ...pendingFilter, 'outbox.at': { $lte: new Date() } })
      .sort({ 'outbox.at': 1 })
      .explain('executionStats');
    expect(JSON.stringify(plan['queryPlanner'])).toContain(outboxIndex.name);
    const { totalKeysExamined, totalDocsExamined } = plan['executionStats'] as Record<string, number>;
    expect([totalKeysExamined, totalDocsExamined]).toEqual([2, 2]);
  });

  test('sweeps periodically', async () => {
    await written(3, minuteAgo());
    const relay = relayWith();
    relay.start();
    await until('the outbox is empty', async () => (await relay.backlog()).documents === 0);
    expect(broker.subjects).toHaveLength(3);
  });

  test('sweeps in one process at a time', async () => {
    await written(300, minuteAgo());
    const options = () => ({ lease: lease(leases, `outbox:${things.collectionName}`, 10_000) });
    const [one, other] = [relayWith(options()), relayWith(options())];
    let open = () => {};
    broker.hold = new Promise((resolve) => (open = resolve));
    const first = one.sweep();
    await until('one has taken something', () => one.inFlight > 0);
    expect(await other.sweep()).toBe(0);
    open();
    expect(await first).toBe(300);
    expect(broker.subjects).toHaveLength(300);

    await one.stop();
    await written(1, minuteAgo());
    expect(await other.sweep()).toBe(1);
  });

  test('keeps everything while the broker is unavailable and publishes it afterwards', async () => {
    const relay = relayWith({ sweepOlderThanMs: 0 });
    broker.isAway = true;
    const documents = await written(700, minuteAgo());
    enqueueAll(relay, documents);
    await relay.flush();
    expect(await relay.sweep()).toBe(0);
    expect((await relay.backlog()).documents).toBe(700);
    broker.isAway = false;
    await until('everything is published', async () => {
      await relay.sweep();
      return (await relay.backlog()).documents === 0;
    });
    expect(new Set(broker.subjects)).toEqual(new Set(documents.map(({ _id }) => _id)));
    expect(broker.subjects).toHaveLength(700);
  });

  test('holds a bounded number of items in memory', async () => {
    let open = () => {};
    broker.hold = new Promise((resolve) => (open = resolve));
    const relay = relayWith({ sweepOlderThanMs: 0 });
    const documents = await written(20_300, minuteAgo());
    enqueueAll(relay, documents);
    expect(relay.inFlight).toBe(20_000);
    open();
    await until('nothing is in flight', () => relay.inFlight === 0);
    expect(await relay.sweep()).toBe(300);
    expect(new Set(broker.subjects).size).toBe(20_300);
  });

  test('finds the oldest items without reading all pending documents', async () => {
    const times = Array.from({ length: 1_000 }, (_, i) => new Date(1_700_000_000_000 + ((i * 619) % 1_000)));
    for (const at of times) await written(1, at);
    const query = things.find(pendingFilter, { ...oldestFirst, limit: 10 });
    const found = await query.toArray();
    expect(found.map(({ outbox }) => outbox[0]?.at.getTime())).toEqual(
      Array.from({ length: 10 }, (_, i) => 1_700_000_000_000 + i),
    );
    const plan = (await query.clone().explain('executionStats')) as {
      executionStats: { totalDocsExamined: number };
    };
    expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(11);
  });

  test('publishes items that are written and enqueued during a sweep only once', async () => {
    const relay = relayWith({ sweepOlderThanMs: 0 });
    for (let round = 0; round < 20; round++) {
      const sweep = relay.sweep();
      enqueueAll(relay, await written(10));
      await sweep;
    }
    await relay.flush();
    await until('nothing is in flight', () => relay.inFlight === 0);
    expect(broker.subjects.length - new Set(broker.subjects).size).toBeLessThanOrEqual(10);
    expect(new Set(broker.subjects).size).toBe(200);
  });

  test('postpones a document that fails, without blocking the others', async () => {
    let now = Date.now();
    const attempts: string[] = [];
    const [bad, good] = (await written(2, minuteAgo())) as [Thing, Thing];
    broker.refuses.add(bad._id);
    const relay = relayWith({
      now: () => now,
      publish: (events) => {
        attempts.push(...events.map((event) => readEvent(event).subject));
        return broker.publish(events);
      },
    });
    expect(await relay.sweep()).toBe(1);
    expect(await relay.sweep()).toBe(0);
    expect(attempts.sort()).toEqual([bad._id, good._id].sort());
    now += 1_500;
    await relay.sweep();
    expect(attempts.filter((id) => id === bad._id)).toHaveLength(2);
    expect((await relay.backlog()).documents).toBe(1);
  });

  test('removes published items without publishing them again if removing them failed', async () => {
    const failing = new Set(['updateMany']);
    const faulty = new Proxy(things, {
      get: (target, name) =>
        failing.has(String(name))
          ? () => Promise.reject(new Error('no database'))
          : (Reflect.get(target, name, target) as unknown),
    });
    const relay = relayWith({ collection: faulty, sweepOlderThanMs: 0 });
    const documents = await written(3, minuteAgo());
    enqueueAll(relay, documents);
    await until('removing has failed', () => relay.inFlight === 0);
    expect(await relay.backlog()).toMatchObject({ documents: 3 });
    failing.clear();
    expect(await relay.sweep()).toBe(0);
    await until('the outbox is empty', async () => (await relay.backlog()).documents === 0);
    expect(broker.subjects).toHaveLength(3);
  });

  test('flush waits for the given documents, but not forever', async () => {
    const relay = relayWith();
    const [mine, other] = (await written(2)) as [Thing, Thing];
    enqueueAll(relay, [mine]);
    broker.hold = new Promise(() => {});
    await relay.flush([mine._id]);
    expect(broker.subjects).toEqual([mine._id]);
    enqueueAll(relay, [other]);
    const begun = performance.now();
    await relay.flush();
    expect(performance.now() - begun).toBeGreaterThan(1_500);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test('publishes and removes items in flight before it stops', async () => {
    const relay = relayWith();
    enqueueAll(relay, await written(30));
    await relay.stop();
    expect(broker.subjects).toHaveLength(30);
    expect(await relay.backlog()).toMatchObject({ documents: 0 });
  });
});
