import { Binary, type Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { attachmentsDeclaration, type AttachmentDocument } from '../storage/attachments';
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
let attachments: Collection<AttachmentDocument>;
beforeAll(async () => {
  database = await startDatabase('ingest');
  packets = await database.collection<PacketDocument>(packetsDeclaration);
  attachments = await database.collection<AttachmentDocument>(attachmentsDeclaration);
});
afterAll(() => database?.close());

async function stored(at: Date, metadata = {}): Promise<string> {
  const request = { key: newId(), fingerprint: 'f', at };
  const packet = newPacketOf({}, { metadata, request });
  await packets.insertOne(newDocument(packet, now, 1_000));
  return packet.id;
}

test('removes expired keys from packets and attachments, and keeps the others', async () => {
  const alone = await stored(before(25));
  const named = await stored(before(25), { external_id: external });
  const fresh = await stored(before(23));
  const facts = { retailer: 'acme', version: 1, filename: 'a', contentType: 'a/b', size: 1, createdAt: now };
  const _id = newId();
  const request = { key: 'k', fingerprint: 'f', at: before(25) };
  await attachments.insertOne({ _id, ...facts, bytes: new Binary(Buffer.from('x')), request });
  const expiredKeys = new ExpiredKeys(packets, attachments);
  await expireKeys({ expiredKeys, packets: new Packets(packets), now: () => now });
  expect(await packets.findOne({ _id: alone })).not.toHaveProperty('keys');
  expect(await packets.findOne({ _id: named })).toMatchObject({ keys: [`x:${external}`], requests: [] });
  expect((await packets.findOne({ _id: fresh }))?.requests).toHaveLength(1);
  expect(await attachments.findOne({ _id })).not.toHaveProperty('request');
});
