import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { readEvent, startDatabase, refusal, refusalOf, silentLog } from '@receipts/testing';
import type { NewPacket } from '../domain/new-packet';
import { acceptedEventOf, packetsDeclaration, type PacketDocument } from '../storage/packet-document';
import { PacketInserts } from '../storage/packet-inserts';
import { Packets } from '../storage/packets';
import { newPacketOf } from '../testing/samples';
import type { Dependencies } from './dependencies';
import { findRepetition, storePacket } from './store-packet';

const external = '9b2f5c1e-3a47-4d0e-8c56-1f2a3b4c5d6e';
const dayMs = 24 * 3_600_000;

let database: Database;
let collection: Collection<PacketDocument>;
let deps: Dependencies;
let retailer: string;
/** The calls that were made, in order. */
let followed: unknown[];
/** True while the broker accepts nothing. */
let isAway: boolean;

beforeAll(async () => {
  database = await startDatabase('ingest');
  collection = await database.collection<PacketDocument>(packetsDeclaration);
});
afterAll(() => database.close());
beforeEach(() => {
  retailer = newId();
  followed = [];
  isAway = false;
  deps = {
    packets: new Packets(collection),
    packetInserts: new PacketInserts(collection, (documents) => {
      followed.push(...documents.map(acceptedEventOf).map((event) => [event.type, readEvent(event).subject]));
      return Promise.resolve(documents.map(() => true));
    }),
    broker: {
      send: (_: unknown, { params }: { params: { id: string } }) => {
        followed.push(['requested', params.id]);
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve();
      },
    },
    log: silentLog,
    now: () => new Date(1_000),
    conversionRetryMs: 500,
  } as unknown as Dependencies;
});

const packetOf = (changes: Partial<NewPacket> = {}) => newPacketOf({ retailer }, changes);
const keyed = (idempotencyKey: string, at = new Date(0), changes: Partial<NewPacket> = {}) => {
  const packet = packetOf(changes);
  const request = { key: idempotencyKey, fingerprint: packet.bytes.toString(), at };
  return { ...packet, request };
};
const store = async (packet: NewPacket) => {
  const { requested, ...stored } = await storePacket(deps, packet);
  await requested;
  return stored;
};
const kept = () => collection.find({ retailer }).sort({ _id: 1 }).toArray();

test('stores a packet as accepted, publishes its event, and requests its conversion', async () => {
  const packet = packetOf();
  expect(await store(packet)).toEqual({ id: packet.id });
  const [stored] = await kept();
  expect(stored).toMatchObject({ status: 'accepted', version: 1, attempts: 1, retryAt: new Date(1_500) });
  expect(stored).not.toHaveProperty('keys');
  expect(followed).toEqual([
    ['pos_receipt.accepted', packet.id],
    ['requested', packet.id],
  ]);
});

test('stores a packet whose conversion cannot be requested; the sweep requests it later', async () => {
  isAway = true;
  const packet = packetOf();
  expect(await store(packet)).toEqual({ id: packet.id });
  expect(await kept()).toMatchObject([{ status: 'accepted', retryAt: new Date(1_500) }]);
});

test('stores a redelivered packet once, and does not request its conversion again', async () => {
  const packet = packetOf({ metadata: { external_id: external } });
  await store(packet);
  const before = followed.length;
  expect(await store(packet)).toEqual({ id: packet.id });
  expect(await kept()).toHaveLength(1);
  expect(followed).toHaveLength(before);
});

test('accepts only one content for an external id', async () => {
  const metadata = { external_id: external };
  const { id } = await store(packetOf({ metadata }));
  expect(await store(packetOf({ metadata }))).toEqual({ id });
  const other = packetOf({ metadata, bytes: Buffer.from('y') });
  expect(await refusal(store(other))).toMatchObject({
    status: 409,
    code: 'duplicate_external_id',
    extra: { id },
  });
});

test('keeps the first content of a journal entry', async () => {
  const metadata = { source_id: 's', entry_id: '1' };
  const { id } = await store(packetOf({ metadata }));
  expect(await store(packetOf({ metadata, bytes: Buffer.from('y') }))).toEqual({ id });
});

test('stores one of fifty concurrent packets with one external id', async () => {
  const all = Array.from({ length: 50 }, () => packetOf({ metadata: { external_id: external } }));
  const ids = await Promise.all(all.map(async (packet) => (await store(packet)).id));
  expect(new Set(ids).size).toBe(1);
  expect(await kept()).toHaveLength(1);
});

test('stores the key of a request with the packet, and marks a retry', async () => {
  const { id } = await store(keyed('k'));
  expect(await store(keyed('k', new Date(dayMs)))).toEqual({ id, replayed: true });
  const other = keyed('k', new Date(0), { bytes: Buffer.from('y') });
  expect(await refusalOf(store(other))).toBe('409 idempotency_mismatch');
});

test('releases an expired key, which then protects the next packet', async () => {
  await store(keyed('k'));
  const next = keyed('k', new Date(dayMs + 1), { bytes: Buffer.from('y') });
  expect(await store(next)).toEqual({ id: next.id });
  // The unique index would treat an empty list as a value, so no second packet could have one.
  expect((await kept()).map(({ keys }) => keys)).toEqual([undefined, ['i:k']]);
});

test('does not release a key that has been used again in the meantime', async () => {
  const metadata = { external_id: external };
  const { id } = await store(keyed('k', new Date(0), { metadata }));
  const [before] = await kept();
  const again = keyed('k', new Date(dayMs + 1), { metadata });
  await store(again);
  await deps.packets.releaseRequest(before!, before!.requests![0]!, again.call);
  expect(await store(keyed('k', new Date(dayMs + 2), { metadata }))).toEqual({ id, replayed: true });
});

test('keeps the key of a retry with the same external id', async () => {
  const metadata = { external_id: external };
  const { id } = await store(packetOf({ metadata }));
  expect(await store(keyed('k', new Date(0), { metadata }))).toEqual({ id });
  expect(await store(keyed('k', new Date(0), { metadata }))).toEqual({ id, replayed: true });
});

test('finds a stored packet without storing it again', async () => {
  const metadata = { external_id: external };
  expect(await findRepetition(deps, packetOf({ metadata }))).toBeUndefined();
  const { id } = await store(packetOf({ metadata }));
  expect(await findRepetition(deps, packetOf({ metadata }))).toEqual({ id });
  expect(await findRepetition(deps, packetOf())).toBeUndefined();
  expect(await kept()).toHaveLength(1);
});

test("returns 503 if the caller's keys are taken and released repeatedly", async () => {
  const packet = keyed('k', new Date(dayMs + 1));
  const earlier = keyed('k');
  const taken = [
    { _id: earlier.id, retailer, keys: [`i:${earlier.request?.key}`], requests: [earlier.request] },
  ];
  let tries = 0;
  const packets = { releaseRequest: () => Promise.resolve() } as never;
  const packetInserts = { insert: () => Promise.resolve((tries++, { taken })) } as never;
  const work = storePacket({ ...deps, packets, packetInserts }, packet);
  expect(await refusalOf(work)).toBe('503 unavailable');
  expect(tries).toBe(5);
});

describe('an external id that is posted with ever new idempotency keys', () => {
  const keysMax = 101;
  const metadata = { external_id: external };
  const keysOf = async () => (await kept())[0]?.keys ?? [];

  test('keeps a limited number of keys, so that the packet does not grow', async () => {
    const { id } = await store(keyed('key 0', undefined, { metadata }));
    for (let n = 1; n < 130; n++)
      expect(await store(keyed(`key ${n}`, undefined, { metadata }))).toEqual({ id });
    const [packet] = await kept();
    expect(packet?.requests).toHaveLength(keysMax - 1);
    expect(packet?.keys).toHaveLength(keysMax);
    expect(packet?.keys).toEqual(expect.arrayContaining([`x:${external}`, 'i:key 129']));
    expect(await store(keyed('key 129', undefined, { metadata }))).toEqual({ id, replayed: true });
    // Its key is forgotten, but not its external id.
    expect(await store(keyed('key 0', undefined, { metadata }))).toEqual({ id });
  });

  test('forgets keys that have expired', async () => {
    await store(keyed('first', undefined, { metadata }));
    await store(keyed('second', new Date(dayMs + 1), { metadata }));
    expect(await keysOf()).toEqual([`x:${external}`, 'i:second']);
  });
});
