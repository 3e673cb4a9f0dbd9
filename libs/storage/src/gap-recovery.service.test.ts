import type { Collection } from 'mongodb';
import { ServiceError, unavailable } from '@receipts/kernel';
import { startDatabase, testDatabase, silentLog } from '@receipts/testing';
import { GapRecovery, type GapRecoveryOptions, type ChangesPage, type CursorDocument } from './gap-recovery';
import type { Database } from './connect-database';
import { lease, leaseCollection, type LeaseDocument } from './lease';

interface Thing {
  readonly id: string;
  readonly arrival: number;
  readonly version: number;
  /** The sequence number of its last change in the owner's order; 0 before the first change. */
  readonly changed: number;
}

/** An owner with the documents of one retailer. It returns arrivals and changes in pages of two. */
class Owner {
  readonly things: Thing[] = [];
  readonly asked: { readonly after: string | null; readonly arrived: number }[] = [];
  fault: Error | undefined;
  private changes = 0;

  add(count = 1): Thing {
    for (let n = 0; n < count; n++) {
      const arrival = this.things.length + 1;
      this.things.push({ id: `t${arrival}`, arrival, version: 1, changed: 0 });
    }
    return this.things.at(-1) as Thing;
  }

  change(arrival: number): void {
    const thing = this.things[arrival - 1] as Thing;
    this.things[arrival - 1] = { ...thing, version: thing.version + 1, changed: ++this.changes };
  }

  read(cursor: { readonly after: string | null; readonly arrived: number }): ChangesPage<Thing> {
    if (this.fault) throw this.fault;
    this.asked.push(cursor);
    const [arrival, at] = JSON.parse(cursor.after ?? `[0,${this.changes}]`) as [number, number];
    const from = Math.max(arrival, cursor.arrived);
    const changes = this.things.filter(({ arrival }) => arrival > from).slice(0, 2);
    const arrived = changes.at(-1)?.arrival ?? from;
    if (changes.length === 2) return { changes, arrived, next: JSON.stringify([arrived, at]), more: true };
    const later = this.things
      .filter(({ changed }) => changed > at)
      .sort((a, b) => a.changed - b.changed)
      .slice(0, 2);
    const next = JSON.stringify([arrived, later.at(-1)?.changed ?? at]);
    return { changes: [...changes, ...later], arrived, next, more: later.length === 2 };
  }
}

let database: Database;
let cursors: Collection<CursorDocument>;
let owner: Owner;
let known: Map<string, number>;
const started: GapRecovery<Thing>[] = [];

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  cursors = await database.collection<CursorDocument>({ name: `places_${testDatabase()}`, indexes: [] });
  owner = new Owner();
  known = new Map();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((consumer) => consumer.stop()));
});

const learn = (things: readonly Thing[]) => {
  for (const { id, version } of things) known.set(id, Math.max(version, known.get(id) ?? 0));
};

async function consumer(options: Partial<GapRecoveryOptions<Thing>> = {}): Promise<GapRecovery<Thing>> {
  const leases = await database.collection<LeaseDocument>(leaseCollection);
  const made = new GapRecovery<Thing>({
    name: 'a test',
    cursors,
    async *retailers() {
      yield ['r'];
    },
    read: (_retailer, cursor) => Promise.resolve(owner.read(cursor)),
    apply: (_retailer, things) => Promise.resolve(learn(things)),
    lease: lease(leases, `recovery ${cursors.collectionName}`, 10_000),
    log: silentLog,
    delayMs: 1,
    ...options,
  });
  started.push(made);
  return made;
}

/** The consumer receives a document through its event. */
function hear(by: GapRecovery<Thing>, thing: Thing): void {
  learn([thing]);
  by.recordArrival('r', thing.arrival);
}

const isRight = () => expect(Object.fromEntries(known)).toEqual(versionsOf(owner.things));
const versionsOf = (things: readonly Thing[]) =>
  Object.fromEntries(things.map(({ id, version }) => [id, version]));

test('reads everything once, and afterwards only missed documents', async () => {
  const recovery = await consumer();
  owner.add(5);
  expect(await recovery.run()).toBe(5);
  isRight();
  hear(recovery, owner.add());
  owner.add();
  hear(recovery, owner.add());
  owner.change(2);
  await recovery.moveWatermarks();
  // Everything above the first gap (7 and 8) is read again, and so is the change.
  expect(await recovery.run()).toBe(3);
  isRight();
  expect(await recovery.run()).toBe(0);
});

test('does not reread an arrival that any process has recorded', async () => {
  const [one, other] = [await consumer(), await consumer()];
  await other.run();
  owner.add(9);
  for (const thing of owner.things) hear(thing.arrival % 2 === 0 ? one : other, thing);
  for (const each of [one, other]) await each.moveWatermarks();
  expect(await other.run()).toBe(0);
});

test('reads everything again after the cursors were deleted', async () => {
  const recovery = await consumer();
  owner.add(3);
  await recovery.run();
  owner.change(1);
  known.clear();
  await cursors.deleteMany({});
  expect(await recovery.run()).toBe(3);
  isRight();
  await recovery.restart();
  known.clear();
  expect(await recovery.run()).toBe(3);
  isRight();
});

test('reads everything again after the owner has lost its newest data', async () => {
  const recovery = await consumer();
  owner.add(5);
  await recovery.run();
  owner.things.splice(2);
  owner.add(4);
  owner.fault = new ServiceError({ status: 400, code: 'unknown_cursor', description: 'unknown' });
  await expect(recovery.run()).rejects.toThrow('unknown');
  owner.fault = undefined;
  expect(await recovery.run()).toBe(6);
  isRight();
});

test('reads everything again after the derived data was deleted, even if the first attempt fails', async () => {
  let isThere = false;
  const rebuildMarker = {
    isThere: () => Promise.resolve(isThere),
    put: () => Promise.resolve(void (isThere = true)),
  };
  const recovery = await consumer({ rebuildMarkers: [rebuildMarker] });
  owner.add(3);
  await recovery.run();
  isThere = false;
  known.clear();
  owner.fault = new Error('away');
  await expect(recovery.run()).rejects.toThrow('away');
  owner.fault = undefined;
  await recovery.run();
  isRight();
});

test('with appliesLater, recorded arrivals are applied again only after the changes that it selects', async () => {
  const given: number[] = [];
  const recovery = await consumer({
    appliesLater: ({ arrival }) => arrival === 2,
    apply: (_retailer, things) => Promise.resolve(void given.push(...things.map(({ arrival }) => arrival))),
  });
  hear(recovery, owner.add());
  hear(recovery, owner.add());
  await recovery.moveWatermarks();
  owner.add();
  owner.change(1);
  await recovery.run();
  owner.change(2);
  owner.change(3);
  await recovery.run();
  expect(given).toEqual([3, 2]);
});

test('completes a requested run after the owner and the lease were unavailable', async () => {
  const leases = await database.collection<LeaseDocument>(leaseCollection);
  const held = lease(leases, `recovery ${cursors.collectionName}`, 60_000);
  expect(await held.acquire()).toBe(true);
  const recovery = await consumer();
  owner.add(4);
  recovery.requestRun();
  await held.release();
  owner.fault = new Error('away');
  recovery.requestRun();
  owner.fault = undefined;
  const giveUpAt = Date.now() + 30_000;
  while (known.size < 4 && Date.now() < giveUpAt) await new Promise((wake) => setTimeout(wake, 20));
  isRight();
});

test('continues with the other retailers if one fails', async () => {
  const seen: string[] = [];
  const recovery = await consumer({
    async *retailers() {
      yield ['bad', 'r'];
    },
    apply: (retailer) => {
      if (retailer === 'bad') throw new Error('of one retailer');
      return Promise.resolve(void seen.push(retailer));
    },
  });
  owner.add();
  await expect(recovery.run()).rejects.toThrow('of one retailer');
  expect(seen).toEqual(['r']);
});

test('asks an owner that does not reply once per run, and then retries only what is left', async () => {
  const asked: string[] = [];
  let isAway = true;
  const recovery = await consumer({
    async *retailers() {
      yield ['a|slow', 'a|r', 'b|slow', 'b|r'];
    },
    ownerOf: (key) => key.slice(2),
    read: (key, cursor) => {
      asked.push(key);
      if (isAway && key.endsWith('slow')) throw new ServiceError(unavailable);
      return Promise.resolve(owner.read(cursor));
    },
  });
  const run = async () => {
    asked.length = 0;
    await recovery.run().catch(() => undefined);
    return asked;
  };
  expect(await run()).toEqual(['a|slow', 'a|r', 'b|r']);
  expect(await run()).toEqual(['b|slow']);
  isAway = false;
  expect(await run()).toEqual(['a|slow', 'b|slow']);
  expect(await run()).toHaveLength(4);
});

test('reads all retailers again on request, even if some are left', async () => {
  const asked: string[] = [];
  const recovery = await consumer({
    async *retailers() {
      yield ['bad', 'good'];
    },
    read: (key) => {
      asked.push(key);
      if (key === 'bad' && asked.length === 1) throw new Error('away');
      return Promise.resolve({ changes: [], next: 'x', more: false });
    },
  });
  await expect(recovery.run()).rejects.toThrow('away');
  recovery.requestRun();
  while (asked.length < 4) await new Promise((wake) => setTimeout(wake, 5));
  expect(asked).toEqual(['bad', 'good', 'bad', 'good']);
});

test('starts another run if it is requested just when a run ends', async () => {
  let runs = 0;
  const recovery = await consumer({
    retailers: async function* () {
      runs++;
      yield [];
    },
    lease: {
      acquire: () => Promise.resolve(true),
      release: () => {
        if (runs === 1) queueMicrotask(() => queueMicrotask(() => recovery.requestRun()));
        return Promise.resolve();
      },
    },
  });
  recovery.requestRun();
  while (runs < 2) await new Promise((wake) => setTimeout(wake, 5));
});

test('is correct in the end, even if events are lost, repeated or late', async () => {
  // A fixed pseudo-random sequence makes failures reproducible.
  let state = 7;
  const chance = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const recovery = await consumer();
  const late: Thing[] = [];
  for (let step = 0; step < 200; step++) {
    if (chance() < 0.6 || owner.things.length === 0) owner.add();
    else owner.change(1 + Math.floor(chance() * owner.things.length));
    const thing = owner.things[Math.floor(chance() * owner.things.length)] as Thing;
    if (chance() < 0.5) hear(recovery, thing);
    else late.push(thing);
    if (chance() < 0.2) for (const old of late.splice(0)) hear(recovery, old);
    if (chance() < 0.2) await recovery.moveWatermarks();
    if (chance() < 0.1) {
      await recovery.run();
      isRight();
    }
  }
  await recovery.run();
  isRight();
});
