import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { ExpiredKeys } from '../storage/expired-keys';
import { newDocument, packetsDeclaration, type PacketDocument } from '../storage/packet-document';
import { Packets } from '../storage/packets';
import { newPacketOf } from '../testing/samples';
import { expireKeys } from './expire-keys';

const external = '9b2f5c1e-3a47-4d0e-8c56-1f2a3b4c5d6e';
const hourMs = 60 * 60_000;
const now = new Date();
const before = (hours: number) => new Date(now.getTime() - hours * hourMs);

let database: Database;
let packets: Collection<PacketDocument>;
beforeAll(async () => {
  database = await startDatabase('ingest');
  packets = await database.collection<PacketDocument>(packetsDeclaration);
});
afterAll(() => database?.close());

async function stored(at: Date, metadata = {}): Promise<string> {
  const request = { key: newId(), fingerprint: 'f', at };
  const packet = newPacketOf({}, { metadata, request });
  await packets.insertOne(newDocument(packet, now, 1_000));
  return packet.id;
}

test('removes expired keys from packets, and keeps the others', async () => {
  const alone = await stored(before(25));
  const named = await stored(before(25), { external_id: external });
  const fresh = await stored(before(23));
  const expiredKeys = new ExpiredKeys(packets);
  await expireKeys({ expiredKeys, packets: new Packets(packets), now: () => now });
  expect(await packets.findOne({ _id: alone })).not.toHaveProperty('keys');
  expect(await packets.findOne({ _id: named })).toMatchObject({ keys: [`x:${external}`], requests: [] });
  expect((await packets.findOne({ _id: fresh }))?.requests).toHaveLength(1);
});
