import type { Collection } from 'mongodb';
import type { ConversionOutcome } from '@receipts/contracts';
import { newId, type SerializedEvent } from '@receipts/kernel';
import {
  connectDatabase,
  lease,
  leaseCollection,
  type LeaseDocument,
  type WatermarkDocument,
  type Database,
} from '@receipts/storage';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import type { NewPacket } from '../domain/new-packet';
import { WriteSequences, sequenceUsedMsMax } from './write-sequences';
import { PacketArrivals } from './packet-arrivals';
import { newDocument, packetsDeclaration, type PacketDocument } from './packet-document';
import { PacketInserts } from './packet-inserts';
import { PublishedPackets } from './published-packets';

const timeLimit = { deadline: Infinity };

let mongo: Mongo;
let database: Database;
let packets: Collection<PacketDocument>;
let watermarks: Collection<WatermarkDocument>;
let leases: Collection<LeaseDocument>;
const clock = { aheadMs: 0 };
const now = () => Date.now() + clock.aheadMs;

beforeAll(async () => {
  mongo = await startMongo();
  database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase('ingest'),
    service: 'ingest',
    log: silentLog,
  });
  packets = await database.collection<PacketDocument>(packetsDeclaration);
  watermarks = await database.collection<WatermarkDocument>({ name: 'packet_watermarks', indexes: [] });
  leases = await database.collection<LeaseDocument>(leaseCollection);
});
afterAll(async () => {
  await database?.close();
  await mongo?.stop();
});
beforeEach(async () => {
  await Promise.all([packets.deleteMany({}), watermarks.deleteMany({}), leases.deleteMany({})]);
});

/** A process that writes packets and publishes their events, but runs no periodic tasks. */
function aProcess({ confirms = true } = {}) {
  const published: SerializedEvent[] = [];
  const publish = (events: readonly SerializedEvent[]) => {
    if (confirms) published.push(...events);
    return Promise.resolve(events.map(() => confirms));
  };
  const manual = { moveEveryMs: 0, sweepEveryMs: 0, stalledAfterMs: 0 };
  const arrivals = new PacketArrivals({
    collection: packets,
    watermarks,
    relay: { publish, log: silentLog, lease: lease(leases, newId(), 10_000), ...manual },
    nowMs: now,
  });
  const sequences = new WriteSequences((sequence) => arrivals.open(sequence), now);
  const inserts = new PacketInserts(packets, sequences, (places) => arrivals.relay.enqueue(places));
  const insert = async (packet: NewPacket, outcome?: ConversionOutcome) => {
    const inserted = await inserts.insert(newDocument(packet, outcome, new Date(), 30_000), timeLimit);
    if (inserted === 'again' || !('stored' in inserted)) return undefined;
    const { raw: _, outbox: __, ...stored } = inserted.stored;
    arrivals.relay.enqueue([{ sequence: stored.sequence, number: stored.number, packet: stored }]);
    return stored;
  };
  return { published, insert, relay: arrivals.relay };
}

const packetOf = (id = newId()): NewPacket => ({
  id,
  call: {
    id,
    requestId: newId(),
    retailer: 'acme',
    principal: { kind: 'client', id: 'bearer:1' },
    deadline: Infinity,
    at: 0,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  },
  bytes: Buffer.from('Sales: 1'),
  contentType: 'text/plain',
  metadata: { till_id: '7', duplicate: true },
  properties: { 'a.b': '$x' },
  attachments: [],
  receivedAt: new Date(),
});

const converted = (id: string): ConversionOutcome => ({
  receiptIds: [id, newId()],
  mapping: { id: 'm', version: 2 },
  failure: null,
});

const typesOf = (events: readonly SerializedEvent[]) => events.map(({ type }) => type.split('.')[1]).sort();

test('advances the watermark over published events without writing to the packets', async () => {
  const { published, insert, relay } = aProcess();
  const id = newId();
  await insert(packetOf(id), converted(id));
  await insert(packetOf());
  await relay.flush();
  expect(typesOf(published)).toEqual(['accepted', 'accepted', 'converted']);
  const [before] = await packets.find({ _id: id }).toArray();
  await relay.moveWatermarks();
  expect(await watermarks.find().toArray()).toEqual([{ _id: before?.sequence, upTo: 2, rev: 1 }]);
  expect(await packets.find({ _id: id }).toArray()).toEqual([before]);
  expect(await aProcess().relay.sweep()).toBe(0);
});

test('publishes what a crashed process has left, with the same event ids', async () => {
  const dying = aProcess({ confirms: false });
  const rebuildMarker = aProcess();
  const id = newId();
  const stored = [await dying.insert(packetOf(id), converted(id)), await dying.insert(packetOf())];
  for (const packet of stored) {
    if (packet) rebuildMarker.relay.enqueue([{ sequence: packet.sequence, number: packet.number, packet }]);
  }
  await Promise.all([dying.relay.flush(), rebuildMarker.relay.flush()]);
  const survivor = aProcess();
  await survivor.relay.sweep();
  const texts = (events: readonly SerializedEvent[]) => events.map(({ text }) => text).sort();
  expect(typesOf(survivor.published)).toEqual(['accepted', 'accepted', 'converted']);
  expect(texts(survivor.published)).toEqual(texts(rebuildMarker.published));
  expect(await aProcess().relay.sweep()).toBe(0);
});

test('publishes a redelivered packet once, without stopping the watermark', async () => {
  const { published, insert, relay } = aProcess();
  const id = newId();
  await insert(packetOf(id));
  expect(await insert(packetOf(id))).toBeUndefined();
  await insert(packetOf());
  await relay.flush();
  await relay.moveWatermarks();
  expect(published).toHaveLength(2);
  expect(await watermarks.find().toArray()).toMatchObject([{ upTo: 3 }]);
});

test('stores a failure on arrival in the outbox, after the first event', async () => {
  const { published, insert, relay } = aProcess();
  const errors = [{ path: '', code: 'no_mapping', message: 'none' }];
  const packet = packetOf();
  await insert(packet, { receiptIds: [], mapping: null, failure: { reason: 'no_mapping', errors } });
  await relay.flush();
  expect(published).toEqual([]);
  const [document] = await packets.find({ _id: packet.id }).toArray();
  expect(document?.outbox).toMatchObject([{ type: 'pos_receipt.accepted' }, { type: 'pos_receipt.failed' }]);
});

test('publishes the arrival of a packet that has not changed since a crash', async () => {
  const dying = aProcess({ confirms: false });
  const packet = packetOf();
  await dying.insert(packet);
  const survivor = aProcess();
  await survivor.relay.sweep();
  const [event] = survivor.published;
  expect(JSON.parse(event?.text ?? '')).toMatchObject({
    type: 'pos_receipt.accepted',
    subject: packet.id,
    sequence: 1,
    causationid: packet.call.id,
    correlationid: packet.call.requestId,
    traceparent: packet.call.traceparent,
  });
});

test('leaves the arrival of a changed packet to the outbox of the change', async () => {
  const dying = aProcess({ confirms: false });
  const [packet, other] = [await dying.insert(packetOf()), await dying.insert(packetOf())];
  await packets.updateOne({ _id: packet?._id as string }, { $set: { status: 'failed', version: 2 } });
  const survivor = aProcess();
  await survivor.relay.sweep();
  const subjects = survivor.published.map(({ text }) => (JSON.parse(text) as { subject: string }).subject);
  expect(subjects).toEqual([other?._id]);
});

test('deletes old sequences only once all their events are published', async () => {
  const [quick, slow] = [aProcess(), aProcess({ confirms: false })];
  await quick.insert(packetOf());
  await slow.insert(packetOf());
  await quick.relay.flush();
  await quick.relay.moveWatermarks();
  clock.aheadMs = 2 * sequenceUsedMsMax + 60_000;
  const survivor = aProcess();
  await survivor.relay.backlog();
  expect(await watermarks.find().toArray()).toMatchObject([{ upTo: 0 }]);
  await survivor.relay.sweep();
  expect(survivor.published).toHaveLength(1);
  await survivor.relay.backlog();
  expect(await watermarks.find().toArray()).toEqual([]);
  clock.aheadMs = 0;
});

test('serves every query with an index', async () => {
  for (const [filter, sort] of [
    [{ sequence: 'x', number: { $gt: 5 } }, { number: 1 }],
    [{ sequence: 'x' }, { number: -1 }],
  ] as const) {
    const plan = JSON.stringify(await packets.find(filter, { sort }).explain('queryPlanner'));
    expect(plan).toContain('"write_sequence"');
    expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
  }
});

test('replays published events unchanged, page by page, for one retailer', async () => {
  const { published, insert, relay } = aProcess();
  const begunAt = Date.now();
  const source = new PublishedPackets(packets, () => begunAt + clock.aheadMs);
  const callFor = (retailer: string) => ({ ...packetOf().call, retailer, deadline: Date.now() + 30_000 });
  const begin = await source.list(null, 1, callFor('acme'));
  const ids = [newId(begunAt), newId(begunAt), newId(begunAt)];
  await insert(packetOf(ids[0]), converted(ids[0] as string));
  for (const id of ids.slice(1)) await insert(packetOf(id));
  await relay.flush();
  expect((await source.list(begin.next, 10, callFor('acme'))).entries).toEqual([]);
  clock.aheadMs = 5_000;
  const found = [];
  for (let place = { ...begin, more: true }; place.more;) {
    place = await source.list(place.next, 2, callFor('acme'));
    found.push(...place.entries);
  }
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(found.flatMap(({ events }) => events).sort()).toEqual(published.map(({ id }) => id).sort());
  const texts = await source.republish(ids, callFor('acme'));
  expect([...texts].sort()).toEqual(published.map(({ text }) => text).sort());
  const others = await source.list(begin.next, 10, callFor('another'));
  expect(others).toMatchObject({ entries: [], more: false });
  expect(await source.republish(ids, callFor('another'))).toEqual([]);
  clock.aheadMs = 0;
});

test('replays a packet whose id is older than the previous page, because it waited in the broker’s queue', async () => {
  const { insert } = aProcess();
  const begunAt = Date.now();
  const source = new PublishedPackets(packets, () => begunAt + clock.aheadMs);
  const call = { ...packetOf().call, retailer: 'acme', deadline: Date.now() + 30_000 };
  const begin = await source.list(null, 10, call);
  clock.aheadMs = 20 * 60_000;
  const earlier = await source.list(begin.next, 10, call);
  const id = newId(begunAt);
  await insert({ ...packetOf(id), receivedAt: new Date(begunAt + clock.aheadMs) });
  clock.aheadMs += 5_000;
  const { entries } = await source.list(earlier.next, 10, call);
  expect(entries.map((entry) => entry.id)).toContain(id);
  clock.aheadMs = 0;
});
