import type { Collection } from 'mongodb';
import { newId } from '@receipts/kernel';
import { connectDatabase, type Database } from '@receipts/storage';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { newPacketOf } from '../testing/samples';
import { outcomeOf } from '../testing/world';
import { newDocument, outcomeFields, packetsDeclaration, type PacketDocument } from './packet-document';
import { PacketOutcomes, type StoredPacket } from './packet-outcomes';
import { WriteSequences, type SequencePosition } from './write-sequences';

let mongo: Mongo;
let database: Database;
let collection: Collection<PacketDocument>;
let unused: SequencePosition[];
let outcomes: PacketOutcomes;

beforeAll(async () => {
  mongo = await startMongo();
  const name = testDatabase('ingest');
  database = await connectDatabase({ uri: mongo.uri, database: name, service: 'ingest', log: silentLog });
  collection = await database.collection<PacketDocument>(packetsDeclaration);
});
afterAll(async () => {
  await database.close();
  await mongo.stop();
});
beforeEach(() => {
  unused = [];
  const sequences = new WriteSequences(() => Promise.resolve(), Date.now);
  outcomes = new PacketOutcomes(collection, sequences, (found) => unused.push(...found));
});

async function store(number: number) {
  const packet = newPacketOf();
  const position = { sequence: newId(), number };
  const stored: StoredPacket = { ...newDocument(packet, undefined, new Date(0), 1), ...position };
  await collection.insertOne(stored);
  const fields = outcomeFields(stored, outcomeOf(packet.id, 'converted'), packet.call, new Date(1));
  return { stored, fields, position };
}

const findStored = (stored: StoredPacket) => collection.findOne({ _id: stored._id });

test('saves concurrent outcomes with one command, at new positions', async () => {
  const write = jest.spyOn(collection, 'bulkWrite');
  const packets = await Promise.all([store(1), store(2)]);
  const saved = await Promise.all(packets.map(({ stored, fields }) => outcomes.save(stored, fields)));
  expect(write).toHaveBeenCalledTimes(1);
  write.mockRestore();
  expect(saved.map((packet) => packet?.number)).toEqual([1, 2]);
  expect(unused).toEqual(packets.map(({ position }) => position));
  for (const [index, { stored }] of packets.entries()) {
    const { raw, ...rest } = (await findStored(stored)) as PacketDocument;
    expect(raw?.buffer.toString()).toBe('x');
    expect(rest).toEqual(saved[index]);
  }
});

test('does not save the outcome of a packet that was changed in the meantime', async () => {
  const [first, second] = await Promise.all([store(1), store(2)]);
  await collection.updateOne({ _id: first.stored._id }, { $set: { version: 2, status: 'failed' } });
  const saved = await Promise.all([first, second].map(({ stored, fields }) => outcomes.save(stored, fields)));
  expect(saved.map((packet) => packet?._id)).toEqual([undefined, second.stored._id]);
  expect(await findStored(first.stored)).toMatchObject({ status: 'failed', ...first.position });
  expect(unused).toEqual([expect.objectContaining({ number: 1 }), second.position]);
  expect(unused[0]).not.toEqual(first.position);
});
