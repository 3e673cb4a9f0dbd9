import type { Collection } from 'mongodb';
import { newId, type SerializedEvent } from '@receipts/kernel';
import {
  lease,
  leaseCollection,
  type LeaseDocument,
  type WatermarkDocument,
  type Database,
} from '@receipts/storage';
import { startDatabase, silentLog } from '@receipts/testing';
import type { NewPacket } from '../domain/new-packet';
import { WriteSequences, sequenceUsedMsMax } from './write-sequences';
import { PacketEvents } from './packet-events';
import { PacketOutcomes } from './packet-outcomes';
import { finishPacket, type Packet } from '../domain/packet-state';
import {
  newDocument,
  packetOf,
  packetsDeclaration,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';
import { PacketInserts } from './packet-inserts';
import { PublishedPackets } from './published-packets';

const timeLimit = { deadline: Infinity };

let database: Database;
let packets: Collection<PacketDocument>;
let watermarks: Collection<WatermarkDocument>;
let conversionWatermarks: Collection<WatermarkDocument>;
let leases: Collection<LeaseDocument>;
const clock = { aheadMs: 0 };
const now = () => Date.now() + clock.aheadMs;

beforeAll(async () => {
  database = await startDatabase('ingest');
  packets = await database.collection<PacketDocument>(packetsDeclaration);
  watermarks = await database.collection<WatermarkDocument>({ name: 'packet_watermarks', indexes: [] });
  conversionWatermarks = await database.collection<WatermarkDocument>({
    name: 'conversion_watermarks',
    indexes: [],
  });
  leases = await database.collection<LeaseDocument>(leaseCollection);
});
afterAll(() => database?.close());
beforeEach(async () => {
  const all = [packets, watermarks, conversionWatermarks, leases] as unknown as Collection[];
  await Promise.all(all.map((one) => one.deleteMany({})));
});

/** A process that writes packets and publishes their events, but runs no periodic tasks. */
function aProcess({ confirms = true } = {}) {
  const published: SerializedEvent[] = [];
  const publish = (events: readonly SerializedEvent[]) => {
    if (confirms) published.push(...events);
    return Promise.resolve(events.map(() => confirms));
  };
  const eventsOf = (of: 'arrivals' | 'conversions', after?: PacketEvents) =>
    new PacketEvents({
      of,
      collection: packets,
      nowMs: now,
      ...(after && { after }),
      watermarks: of === 'arrivals' ? watermarks : conversionWatermarks,
      relay: { publish, log: silentLog, lease: lease(leases, newId(), 10_000), stalledAfterMs: 0 },
    });
  const arrivals = eventsOf('arrivals');
  const conversions = eventsOf('conversions', arrivals);
  const sequencesOf = (events: PacketEvents) => new WriteSequences((sequence) => events.open(sequence), now);
  const inserts = new PacketInserts(packets, sequencesOf(arrivals), (places) =>
    arrivals.relay.enqueue(places),
  );
  const outcomes = new PacketOutcomes(packets, sequencesOf(conversions), (places) =>
    conversions.relay.enqueue(places),
  );
  const insert = async (packet: NewPacket) => {
    const inserted = await inserts.insert(newDocument(packet, new Date(), 30_000), timeLimit);
    if (inserted === 'again' || !('stored' in inserted)) return undefined;
    const { raw: _, outbox: __, ...stored } = inserted.stored;
    arrivals.publish([stored]);
    return stored;
  };
  const convert = async (before: PacketWithoutBytes) => {
    const outcome = { receiptIds: [before._id, newId()], mapping: { id: 'm', version: 2 }, failure: null };
    const packet = finishPacket(packetOf(before), { attempt: 1, ...outcome }, new Date()) as Packet;
    const event = { conversion: { event: newId(), cause: 'the outcome' } };
    const { converted } = await outcomes.save([{ before, packet, event }], AbortSignal.timeout(60_000));
    conversions.publish(converted);
    return converted[0];
  };
  const relays = [arrivals.relay, conversions.relay];
  return {
    published,
    insert,
    convert,
    arrivals,
    conversions,
    flush: () => Promise.all(relays.map((relay) => relay.flush())),
    moveWatermarks: () => Promise.all(relays.map((relay) => relay.moveWatermarks())),
    sweep: async () => {
      const counts = await Promise.all(relays.map((relay) => relay.sweep()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    backlog: () => Promise.all(relays.map((relay) => relay.backlog())),
  };
}

const posted = (id = newId()): NewPacket => ({
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

const typesOf = (events: readonly SerializedEvent[]) => events.map(({ type }) => type.split('.')[1]).sort();

test('advances the watermarks over published events without writing to the packets', async () => {
  const { published, insert, convert, flush, moveWatermarks } = aProcess();
  const stored = (await insert(posted())) as PacketWithoutBytes;
  const converted = await convert(stored);
  await insert(posted());
  await flush();
  expect(typesOf(published)).toEqual(['accepted', 'accepted', 'converted']);
  const [before] = await packets.find({ _id: stored._id }).toArray();
  await moveWatermarks();
  expect(await watermarks.find().toArray()).toEqual([{ _id: stored.sequence, upTo: 2, rev: 1 }]);
  const { conversion } = converted ?? {};
  expect(await conversionWatermarks.find().toArray()).toEqual([
    { _id: conversion?.sequence, upTo: 1, rev: 1 },
  ]);
  expect(await packets.find({ _id: stored._id }).toArray()).toEqual([before]);
  expect(await aProcess().sweep()).toBe(0);
});

test('publishes what a crashed process has left, with the same event ids', async () => {
  const dying = aProcess({ confirms: false });
  const witness = aProcess();
  const [one, other] = [await dying.insert(posted()), await dying.insert(posted())] as PacketWithoutBytes[];
  const converted = await dying.convert(one as PacketWithoutBytes);
  witness.arrivals.publish([one, other] as PacketWithoutBytes[]);
  witness.conversions.publish([converted as PacketWithoutBytes]);
  await Promise.all([dying.flush(), witness.flush()]);
  const survivor = aProcess();
  await survivor.sweep();
  const texts = (events: readonly SerializedEvent[]) => events.map(({ text }) => text).sort();
  expect(new Set(typesOf(survivor.published))).toEqual(new Set(['accepted', 'converted']));
  expect(new Set(texts(survivor.published))).toEqual(new Set(texts(witness.published)));
  expect(await aProcess().sweep()).toBe(0);
});

test('publishes the first event of a packet again before its conversion if another process may not have done so', async () => {
  const [dying, finishing] = [aProcess({ confirms: false }), aProcess()];
  const stored = (await dying.insert(posted())) as PacketWithoutBytes;
  await finishing.convert(stored);
  await finishing.flush();
  expect(finishing.published.map(({ type }) => type)).toEqual([
    'pos_receipt.accepted',
    'pos_receipt.converted',
  ]);
});

test('knows which events another process has not published yet', async () => {
  const dying = aProcess({ confirms: false });
  const [one, other] = [await dying.insert(posted()), await dying.insert(posted())] as PacketWithoutBytes[];
  const converted = (await dying.convert(one as PacketWithoutBytes)) as PacketWithoutBytes;
  const all = [converted, other as PacketWithoutBytes];
  const survivor = aProcess();
  expect(await survivor.arrivals.unpublished(all)).toEqual(new Set(all.map(({ _id }) => _id)));
  expect(await survivor.conversions.unpublished(all)).toEqual(new Set([converted._id]));
  await survivor.sweep();
  await survivor.moveWatermarks();
  expect(await survivor.arrivals.unpublished(all)).toEqual(new Set());
  expect(await survivor.conversions.unpublished(all)).toEqual(new Set());
});

test('publishes a redelivered packet once, without stopping the watermark', async () => {
  const { published, insert, flush, moveWatermarks } = aProcess();
  const id = newId();
  await insert(posted(id));
  expect(await insert(posted(id))).toBeUndefined();
  await insert(posted());
  await flush();
  await moveWatermarks();
  expect(published).toHaveLength(2);
  expect(await watermarks.find().toArray()).toMatchObject([{ upTo: 3 }]);
});

test('publishes the arrival of a packet after a crash, even if the packet has failed since', async () => {
  const dying = aProcess({ confirms: false });
  const packet = posted();
  await dying.insert(packet);
  await packets.updateOne({ _id: packet.id }, { $set: { status: 'failed', version: 2 } });
  const survivor = aProcess();
  await survivor.sweep();
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

test('deletes old sequences only once all their events are published', async () => {
  const [quick, slow] = [aProcess(), aProcess({ confirms: false })];
  await quick.insert(posted());
  await slow.insert(posted());
  await quick.flush();
  await quick.moveWatermarks();
  clock.aheadMs = 2 * sequenceUsedMsMax + 60_000;
  const survivor = aProcess();
  await survivor.backlog();
  expect(await watermarks.find().toArray()).toMatchObject([{ upTo: 0 }]);
  await survivor.sweep();
  expect(survivor.published).toHaveLength(1);
  await survivor.backlog();
  expect(await watermarks.find().toArray()).toEqual([]);
  clock.aheadMs = 0;
});

test('serves every query with an index', async () => {
  const conversion = { 'conversion.sequence': 'x' };
  for (const [index, filter, sort] of [
    ['write_sequence', { sequence: 'x', number: { $gt: 5 } }, { number: 1 }],
    ['write_sequence', { sequence: 'x' }, { number: -1 }],
    ['conversion_sequence', { ...conversion, 'conversion.number': { $gt: 5 } }, { 'conversion.number': 1 }],
    ['conversion_sequence', conversion, { 'conversion.number': -1 }],
  ] as const) {
    const found = packets.find(filter as object, { sort, hint: index });
    const plan = JSON.stringify(await found.explain('queryPlanner'));
    expect(plan).toContain(`"${index}"`);
    expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
  }
});

test('replays published events unchanged, page by page, for one retailer', async () => {
  const { published, insert, convert, flush } = aProcess();
  const begunAt = Date.now();
  const source = new PublishedPackets(packets, () => begunAt + clock.aheadMs);
  const callFor = (retailer: string) => ({ ...posted().call, retailer, deadline: Date.now() + 30_000 });
  const begin = await source.list(null, 1, callFor('acme'));
  const ids = [newId(begunAt), newId(begunAt), newId(begunAt)];
  for (const id of ids) await insert(posted(id));
  const [stored] = await packets.find({ _id: ids[0] as string }, { projection: { raw: 0 } }).toArray();
  await convert(stored as PacketWithoutBytes);
  await flush();
  expect((await source.list(begin.next, 10, callFor('acme'))).entries).toEqual([]);
  clock.aheadMs = 5_000;
  const found = [];
  for (let place = { ...begin, more: true }; place.more;) {
    place = await source.list(place.next, 2, callFor('acme'));
    found.push(...place.entries);
  }
  expect(found.map(({ id }) => id).sort()).toEqual(ids.sort());
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
  const call = { ...posted().call, retailer: 'acme', deadline: Date.now() + 30_000 };
  const begin = await source.list(null, 10, call);
  clock.aheadMs = 20 * 60_000;
  const earlier = await source.list(begin.next, 10, call);
  const id = newId(begunAt);
  await insert({ ...posted(id), receivedAt: new Date(begunAt + clock.aheadMs) });
  clock.aheadMs += 5_000;
  const { entries } = await source.list(earlier.next, 10, call);
  expect(entries.map((entry) => entry.id)).toContain(id);
  clock.aheadMs = 0;
});

test('replays the conversion of a packet that arrived long before the previous page', async () => {
  const { insert, convert } = aProcess();
  const begunAt = Date.now();
  const source = new PublishedPackets(packets, () => begunAt + clock.aheadMs);
  const call = { ...posted().call, retailer: 'acme', deadline: Date.now() + 30_000 };
  const receivedAt = new Date(begunAt - 20 * 60_000);
  const stored = await insert({ ...posted(), receivedAt });
  const begin = await source.list(null, 10, call);
  await convert(stored as PacketWithoutBytes);
  clock.aheadMs = 5_000;
  const { entries } = await source.list(begin.next, 10, call);
  expect(entries).toMatchObject([{ id: stored?._id, events: [expect.any(String), expect.any(String)] }]);
  clock.aheadMs = 0;
});
