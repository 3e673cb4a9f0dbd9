import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { callOf, startDatabase } from '@receipts/testing';
import { finishPacket, type Packet } from '../domain/packet-state';
import { newPacketOf } from '../testing/samples';
import { outcomeOf } from '../testing/world';
import {
  acceptedEventOf,
  convertedEventOf,
  newDocument,
  packetOf,
  packetsDeclaration,
  type PacketDocument,
} from './packet-document';
import { convertedDocument, PacketOutcomes } from './packet-outcomes';
import { PublishedPackets } from './published-packets';

const minutesMs = 60_000;

let database: Database;
let packets: Collection<PacketDocument>;
let source: PublishedPackets;
let retailer: string;
let begunAt: number;
let aheadMs: number;
/** The events of the packets, as they are published. */
let published: { readonly id: string; readonly text: string }[];

beforeAll(async () => {
  database = await startDatabase('ingest');
  packets = await database.collection<PacketDocument>(packetsDeclaration);
});
afterAll(() => database.close());
beforeEach(() => {
  [retailer, begunAt, aheadMs, published] = [newId(), Date.now(), 0, []];
  source = new PublishedPackets(packets, () => begunAt + aheadMs);
});

const callFor = (name: string) => callOf(name, { deadline: Date.now() + 30_000 });

async function insert(id = newId(begunAt), receivedAt = new Date(begunAt)): Promise<PacketDocument> {
  const facts = { id, receivedAt, metadata: { till_id: '7', duplicate: true }, properties: { 'a.b': '$x' } };
  const document = newDocument(newPacketOf({ retailer }, facts), receivedAt, 30_000);
  await packets.insertOne(document);
  published.push(acceptedEventOf(document));
  return document;
}

async function convert({ raw: _, ...before }: PacketDocument): Promise<void> {
  const outcome = { attempt: 1, ...outcomeOf(before._id, 'converted') };
  const packet = finishPacket(packetOf(before), outcome, new Date(begunAt + aheadMs)) as Packet;
  const conversion = { event: newId(), cause: 'the outcome' };
  const finished = { before, packet, event: { conversion } };
  expect(await new PacketOutcomes(packets).save([finished], AbortSignal.timeout(60_000))).toBe(true);
  published.push(...[convertedEventOf(convertedDocument(before, packet, conversion)) ?? []].flat());
}

test('replays published events unchanged, page by page, for one retailer', async () => {
  const begin = await source.list(null, 1, callFor(retailer));
  const inserted = [await insert(), await insert(), await insert()];
  await convert(inserted[0] as PacketDocument);
  const ids = inserted.map(({ _id }) => _id);
  expect((await source.list(begin.next, 10, callFor(retailer))).entries).toEqual([]);
  aheadMs = 5_000;
  const found = [];
  for (let place = { ...begin, more: true }; place.more;) {
    place = await source.list(place.next, 2, callFor(retailer));
    found.push(...place.entries);
  }
  expect(found.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(found.flatMap(({ events }) => events).sort()).toEqual(published.map(({ id }) => id).sort());
  const texts = await source.find(ids, callFor(retailer));
  expect([...texts].sort()).toEqual(published.map(({ text }) => text).sort());
  const others = await source.list(begin.next, 10, callFor('another'));
  expect(others).toMatchObject({ entries: [], more: false });
  expect(await source.find(ids, callFor('another'))).toEqual([]);
});

test('replays a packet whose id is older than the previous page, because it waited in the broker’s queue', async () => {
  const begin = await source.list(null, 10, callFor(retailer));
  aheadMs = 20 * minutesMs;
  const earlier = await source.list(begin.next, 10, callFor(retailer));
  const id = newId(begunAt);
  await insert(id, new Date(begunAt + aheadMs));
  aheadMs += 5_000;
  const { entries } = await source.list(earlier.next, 10, callFor(retailer));
  expect(entries.map((entry) => entry.id)).toEqual([id]);
});

test('replays the conversion of a packet that arrived long before the previous page', async () => {
  const stored = await insert(newId(), new Date(begunAt - 20 * minutesMs));
  const begin = await source.list(null, 10, callFor(retailer));
  await convert(stored);
  aheadMs = 5_000;
  const { entries } = await source.list(begin.next, 10, callFor(retailer));
  expect(entries).toMatchObject([{ id: stored._id, events: [expect.any(String), expect.any(String)] }]);
});
