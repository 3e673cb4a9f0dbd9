import { eventOf, newId, defineEvent, type EventRecord, type SerializedEvent } from '@receipts/kernel';
import { callOf as clientCall, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import { connectDatabase, type Database } from './connect-database';
import { lease, leaseCollection, type LeaseDocument } from './lease';
import { outboxIndex, outboxItem, type OutboxItem } from './outbox';
import { OutboxRelay } from './outbox-relay';
import { inTransitMs, publishedEventHandlers, cursorOverlapMs } from './published-event-handlers';
import { KeptEvents, keptEventsCollection, type KeptEvent } from './kept-events';

const thingChanged = defineEvent({
  type: 'thing.changed',
  owner: 'test',
  collection: 'things',
  summary: 'A thing',
  description: 'For tests.',
  data: z.object({ identifier: z.string() }),
});
const noted = defineEvent({ ...thingChanged, type: 'thing.noted', audience: 'internal' });

interface Thing {
  readonly _id: string;
  readonly outbox: OutboxItem[];
}

let mongo: Mongo;
let database: Database;
let collection: Collection<KeptEvent>;
let kept: KeptEvents;
let retailer: string;
/** The clock is fixed during a test, regardless of how long the test takes. */
const start = Date.now();
const clock = { aheadMs: 0 };
const now = () => start + clock.aheadMs;

beforeAll(async () => {
  mongo = await startMongo();
  database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase(),
    service: 'test',
    log: silentLog,
  });
  collection = await database.collection<KeptEvent>(keptEventsCollection);
  kept = new KeptEvents(collection, now);
});
afterAll(async () => {
  await database?.close();
  await mongo?.stop();
});
beforeEach(() => {
  clock.aheadMs = 0;
  retailer = `r-${newId()}`;
});

const callOf = () => clientCall(retailer);
const itemOf = (
  subject: string,
  identifier = 'jane',
  contract: typeof thingChanged = thingChanged,
): SerializedEvent =>
  eventOf(contract, { subject, sequence: 1, data: { identifier } }, callOf(), new Date(now()));
const items = (count: number) => Array.from({ length: count }, (_, n) => itemOf(`thing ${n}`));
const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).sort();

/** Reads all pages. */
async function read(handlers: ReturnType<typeof publishedEventHandlers>, begin: string, count: number) {
  const found = [];
  for (let after = begin; ;) {
    const { body } = await handlers.listPublishedEvents({ body: { after, count } }, callOf());
    expect(body.entries.length).toBeLessThanOrEqual(count);
    found.push(...body.entries);
    if (!body.more) return { found, next: body.next };
    after = body.next;
  }
}
const sweepLease = async () =>
  lease(await database.collection<LeaseDocument>(leaseCollection), newId(), 10_000);
const beginOf = async (handlers: ReturnType<typeof publishedEventHandlers>) =>
  (await handlers.listPublishedEvents({ body: { after: null, count: 10 } }, callOf())).body.next;

it('stores public events once, before they are published', async () => {
  const things = await database.collection<Thing>({ name: `things_${newId()}`, indexes: [outboxIndex] });
  const [sent, refused] = items(2) as [SerializedEvent, SerializedEvent];
  const internal = itemOf('thing', 'jane', noted as unknown as typeof thingChanged);
  const outbox = [sent, refused, internal].map(outboxItem);
  await things.insertOne({ _id: newId(), outbox });
  const publish = async (events: readonly { readonly id: string }[]) => {
    expect(await collection.countDocuments({ retailer })).toBe(2);
    return events.map(({ id }) => id !== refused.id);
  };
  const relay = new OutboxRelay<Thing>({
    collection: things,
    lease: await sweepLease(),
    publish,
    keptEvents: kept,
    log: silentLog,
    now: () => now() + 60_000,
  });
  await relay.sweep();
  await kept.keep([sent]);
  await relay.stop();
  // Events behind an unconfirmed event of the same document are published again after it.
  expect((await things.findOne({}))?.outbox.map(({ id }) => id)).toEqual([refused.id, internal.id]);
  const again = await kept.find([sent.id, refused.id, internal.id], callOf());
  expect([...again].sort()).toEqual([sent.text, refused.text].sort());
});

it('does not publish an event that cannot be stored', async () => {
  const things = await database.collection<Thing>({ name: `things_${newId()}`, indexes: [outboxIndex] });
  await things.insertOne({ _id: newId(), outbox: items(1).map(outboxItem) });
  const relay = new OutboxRelay<Thing>({
    collection: things,
    lease: await sweepLease(),
    log: silentLog,
    now: () => now() + 60_000,
    publish: () => Promise.reject(new Error('published')),
    keptEvents: { keep: () => Promise.reject(new Error('no database')) },
  });
  await relay.sweep();
  await relay.stop();
  expect((await things.findOne({}))?.outbox).toHaveLength(1);
});

it.each([1, 3, 100])(
  'lists events in order of publication, %d at a time, from several sources',
  async (count) => {
    const handlers = publishedEventHandlers([kept, kept]);
    await kept.keep([itemOf('before')]);
    clock.aheadMs = 1;
    const begin = await beginOf(handlers);
    const all = items(5);
    clock.aheadMs = 10;
    for (const item of all) await kept.keep([item]);
    expect((await read(handlers, begin, count)).found).toEqual([]);
    clock.aheadMs = inTransitMs + 1_000;
    const { found, next } = await read(handlers, begin, count);
    expect(idsOf(found)).toEqual(idsOf([...all, ...all]));
    expect(found[0]).toEqual({
      id: all[0]?.id,
      at: new Date(all[0]?.at ?? 0).toISOString(),
      events: [all[0]?.id],
    });
    const texts = (await handlers.findPublishedEvents({ body: { ids: idsOf(all).slice(0, 2) } }, callOf()))
      .body;
    const { events } = JSON.parse(texts.toString()) as { events: EventRecord[] };
    expect(new Set(idsOf(events))).toEqual(new Set(idsOf(all).slice(0, 2)));
    // Events published in the meantime follow, and events older than `cursorOverlapMs` are not listed again.
    clock.aheadMs = cursorOverlapMs + inTransitMs + 10_000;
    await kept.keep([itemOf('later')]);
    clock.aheadMs += inTransitMs;
    const later = await read(handlers, (await read(handlers, next, count)).next, count);
    expect(new Set(later.found.map(({ id }) => id)).size).toBe(1);
  },
);

it('keeps an event with its retailer, and deletes it with its consumer', async () => {
  const named = itemOf('a thing', 'jane');
  const subject = itemOf('jane', 'somebody');
  const other = itemOf('another thing', 'joe');
  await kept.keep([named, subject, other]);
  const all = [named, subject, other].map(({ id }) => id);
  const own = callOf();
  expect(await kept.find(all, own)).toHaveLength(all.length);
  expect(await kept.find(['a thing'], own)).toEqual([named.text]);
  expect(await kept.find(['jane'], own)).toEqual([subject.text]);
  expect(await kept.find(all, { ...own, retailer: 'another' })).toEqual([]);
  await kept.forget('another', ['jane']);
  expect(await kept.find(all, own)).toHaveLength(all.length);
  await kept.forget(retailer, ['jane']);
  expect(await kept.find(all, own)).toEqual([other.text]);
});
