import { setMaxListeners } from 'node:events';
import type { Collection } from 'mongodb';
import { newId, type SerializedEvent } from '@receipts/kernel';
import {
  connectDatabase,
  lease,
  leaseCollection,
  type Database,
  type LeaseDocument,
  type WatermarkDocument,
} from '@receipts/storage';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { callOf } from '../testing/world';
import {
  rewardWatermarksDeclaration,
  rewardNumbersDeclaration,
  rewardsDeclaration,
  type NumbersDocument,
  type RewardDocument,
} from './reward-document';
import { RewardEvents } from './reward-events';
import { Rewards, type NewReward } from './rewards';
import { PublishedRewards } from './published-rewards';

let mongo: Mongo;
let database: Database;
let collection: Collection<RewardDocument>;
let watermarks: Collection<WatermarkDocument>;
let numbers: Collection<NumbersDocument>;
let leases: Collection<LeaseDocument>;
let retailer: string;

const { signal } = new AbortController();
setMaxListeners(0, signal);

beforeAll(async () => {
  mongo = await startMongo();
  const name = testDatabase('identifier');
  database = await connectDatabase({ uri: mongo.uri, database: name, service: 'identifier', log: silentLog });
  collection = await database.collection<RewardDocument>(rewardsDeclaration);
  watermarks = await database.collection<WatermarkDocument>(rewardWatermarksDeclaration);
  numbers = await database.collection<NumbersDocument>(rewardNumbersDeclaration);
  leases = await database.collection<LeaseDocument>(leaseCollection);
}, 60_000);
afterAll(async () => {
  await database?.close();
  await mongo?.stop();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
});

/** A process that issues rewards and publishes their events; it does nothing periodically. */
function aProcess({ confirms = true } = {}) {
  const published: SerializedEvent[] = [];
  const publish = (events: readonly SerializedEvent[]) => {
    if (confirms) published.push(...events.filter((event) => event.retailer === retailer));
    return Promise.resolve(events.map(() => confirms));
  };
  const manual = { moveEveryMs: 0, sweepEveryMs: 0, stalledAfterMs: 0, batchWindowMs: 0 };
  const claim = lease(leases, newId(), 10_000);
  const relay = { publish, log: silentLog, lease: claim, ...manual };
  const events = new RewardEvents({ collection, watermarks, relay });
  return { published, events, rewards: new Rewards(collection, numbers, events) };
}

const rewardsOf = (identifier: string, from: number, to: number): NewReward[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    programme: 1,
    identifier,
    threshold: from + n,
    name: '5 off',
    value: 5,
    claimed: false,
    issuedAt: new Date('2026-05-17T10:00:00.500Z'),
    receiptTimestamp: '2026-05-17T12:00:00+02:00',
    origin: { event: newId(), request: newId(), cause: newId() },
  }));

const rewardsInOrder = () => collection.find({ retailer }, { sort: { seq: 1 } }).toArray();
const places = async () => (await rewardsInOrder()).map(({ seq }) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test('advances the watermark over published events without writing to the rewards', async () => {
  const { published, events, rewards } = aProcess();
  await rewards.issue(retailer, rewardsOf('joe', 1, 3), signal);
  await events.relay.flush();
  expect(published.map(({ type }) => type)).toEqual(Array(3).fill('loyalty.reward_issued'));
  const before = await collection.find({ retailer }).toArray();
  await events.relay.moveWatermarks();
  expect(await watermarks.findOne({ _id: retailer })).toMatchObject({ upTo: 3 });
  expect(await collection.find({ retailer }).toArray()).toEqual(before);
});

test('publishes what a crashed process has left, with the same event ids', async () => {
  const dying = aProcess({ confirms: false });
  await dying.rewards.issue(retailer, rewardsOf('joe', 1, 2), signal);
  await dying.events.relay.flush();
  const rebuildMarker = aProcess();
  rebuildMarker.events.relay.enqueue(await collection.find<RewardDocument>({ retailer }).toArray());
  await rebuildMarker.events.relay.flush();
  const survivor = aProcess();
  await survivor.events.relay.sweep();
  const texts = ({ published }: typeof survivor) => published.map(({ text }) => text).sort();
  expect(survivor.published).toHaveLength(2);
  expect(texts(survivor)).toEqual(texts(rebuildMarker));
  const late = aProcess();
  await late.events.relay.sweep();
  expect(late.published).toEqual([]);
});

test('concurrent processes use every number once and leave no gap', async () => {
  const processes = [aProcess(), aProcess(), aProcess()];
  await Promise.all(
    processes.flatMap(({ rewards }, n) =>
      ['ann', 'joe', `own-${n}`].map((name) => rewards.issue(retailer, rewardsOf(name, 1, 4 + n), signal)),
    ),
  );
  const found = await collection.find({ retailer }).toArray();
  const thresholds = (name: string) =>
    found.flatMap(({ identifier, threshold }) => (identifier === name ? [threshold] : [])).sort();
  expect(thresholds('ann')).toEqual(upTo(6));
  expect(thresholds('joe')).toEqual(upTo(6));
  expect([0, 1, 2].map((n) => thresholds(`own-${n}`))).toEqual([upTo(4), upTo(5), upTo(6)]);
  expect(await places()).toEqual(upTo(found.length));
  expect(new Set(found.map(({ number }) => number)).size).toBe(found.length);
  await Promise.all(processes.map(({ events }) => events.relay.flush()));
  const published = processes.flatMap((one) => one.published.map(({ id }) => id));
  expect(published.sort()).toEqual(found.map((one) => one.origin?.event).sort());
});

test('publishes rewards issued again after the collection was deleted', async () => {
  const first = aProcess();
  await first.rewards.issue(retailer, rewardsOf('joe', 1, 2), signal);
  await first.events.relay.flush();
  await first.events.relay.moveWatermarks();
  await collection.deleteMany({ retailer });
  const second = aProcess({ confirms: false });
  await second.rewards.issue(retailer, rewardsOf('joe', 1, 1), signal);
  await second.events.relay.flush();
  expect(await places()).toEqual([3]);
  const survivor = aProcess();
  await survivor.events.relay.sweep();
  expect(survivor.published).toHaveLength(1);
});

test('an erasure waits until the events are published', async () => {
  const dying = aProcess({ confirms: false });
  await dying.rewards.issue(retailer, rewardsOf('joe', 1, 1), signal);
  await dying.events.relay.flush();
  const { events, rewards } = aProcess();
  expect(await rewards.hasUnpublishedEvents(retailer, 'joe', signal)).toBe(true);
  expect(await rewards.hasUnpublishedEvents(retailer, 'ann', signal)).toBe(false);
  await events.relay.sweep();
  expect(await rewards.hasUnpublishedEvents(retailer, 'joe', signal)).toBe(false);
});

test('replays published events unchanged, page by page, for one retailer', async () => {
  const { published, events, rewards } = aProcess();
  let now = new Date('2026-05-17T10:00:01Z');
  const source = new PublishedRewards(collection, events, () => now);
  await rewards.issue(retailer, rewardsOf('joe', 1, 1), signal);
  const begin = await source.list(null, 1, callOf(retailer));
  await rewards.issue(retailer, rewardsOf('joe', 2, 4), signal);
  await events.relay.flush();
  expect(await source.list(begin.next, 10, callOf(retailer))).toEqual({
    entries: [],
    next: '1',
    more: false,
  });
  now = new Date('2026-05-17T10:00:05Z');
  const found = [];
  for (let place = { ...begin, more: true }; place.more;) {
    place = await source.list(place.next, 2, callOf(retailer));
    found.push(...place.entries);
  }
  const lost = published.slice(1);
  expect(found.flatMap((one) => one.events)).toEqual(lost.map(({ id }) => id));
  const ids = found.map(({ id }) => id);
  expect([...(await source.republish(ids, callOf(retailer)))].sort()).toEqual(
    lost.map(({ text }) => text).sort(),
  );
  expect(await source.republish(ids, callOf('another'))).toEqual([]);
});
