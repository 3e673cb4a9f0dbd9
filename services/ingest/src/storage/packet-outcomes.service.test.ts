import type { Collection } from 'mongodb';
import type { Database, OutboxItem } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { newPacketOf } from '../testing/samples';
import { outcomeOf } from '../testing/world';
import { finishPacket, type Packet } from '../domain/packet-state';
import { newDocument, packetOf, packetsDeclaration, type PacketDocument } from './packet-document';
import { PacketOutcomes, type FinishedPacket } from './packet-outcomes';
import { WriteSequences, type PacketNumber } from './write-sequences';

let database: Database;
let collection: Collection<PacketDocument>;
let unused: PacketNumber[];
let outcomes: PacketOutcomes;
/** The number of sequences. */
let taken: number;

beforeAll(async () => {
  database = await startDatabase('ingest');
  collection = await database.collection<PacketDocument>(packetsDeclaration);
});
afterAll(() => database.close());
beforeEach(() => {
  unused = [];
  taken = 0;
  const sequences = new WriteSequences(() => Promise.resolve(void taken++), Date.now);
  outcomes = new PacketOutcomes(collection, sequences, (found) => unused.push(...found));
});

/** A stored packet, and its outcome with the event `e`. */
async function finished(outcome: 'converted' | 'crashed' = 'converted'): Promise<FinishedPacket> {
  const document = newDocument(newPacketOf(), new Date(0), 1);
  await collection.insertOne(document);
  const { raw: _, ...before } = document;
  const result = { attempt: 1, ...outcomeOf(document._id, outcome) };
  const packet = finishPacket(packetOf(before), result, new Date(1)) as Packet;
  const item = { id: 'e', type: 't', text: '{}' } as unknown as OutboxItem;
  return {
    before,
    packet,
    event: outcome === 'converted' ? { conversion: { event: 'e', cause: 'c' } } : { item },
  };
}

const save = (all: readonly FinishedPacket[]) => outcomes.save(all, AbortSignal.timeout(60_000));
const findStored = ({ packet }: FinishedPacket) => collection.findOne({ _id: packet.id });

test('saves outcomes with one command: successes at numbered positions, failures with their event', async () => {
  const write = jest.spyOn(collection, 'bulkWrite');
  const all = [await finished(), await finished('crashed'), await finished()];
  const { converted, isComplete } = await save(all);
  expect(write).toHaveBeenCalledTimes(1);
  write.mockRestore();
  expect(isComplete).toBe(true);
  expect(converted.map(({ conversion }) => conversion?.number)).toEqual([1, 2]);
  expect(unused).toEqual([]);
  for (const packet of converted) {
    const { raw, ...rest } = (await collection.findOne({ _id: packet._id })) as PacketDocument;
    expect(raw?.buffer.toString()).toBe('x');
    expect(rest).toEqual(packet);
  }
  const failed = await findStored(all[1] as FinishedPacket);
  expect(failed).toMatchObject({ status: 'failed', reason: 'crashed', version: 2, outbox: [{ id: 'e' }] });
  expect(failed).not.toHaveProperty('conversion');
});

test('does not save the outcome of a packet that was changed in the meantime, and gives its position back', async () => {
  const [first, second] = [await finished(), await finished()];
  await collection.updateOne({ _id: first.packet.id }, { $set: { version: 2, status: 'failed' } });
  const { converted, isComplete } = await save([first, second]);
  expect(isComplete).toBe(false);
  expect(converted.map(({ _id }) => _id)).toEqual([second.packet.id]);
  expect(await findStored(first)).toMatchObject({ status: 'failed', receiptIds: [] });
  expect(unused).toMatchObject([{ number: 1 }]);
});

test('takes no sequence for failures alone', async () => {
  expect(await save([await finished('crashed')])).toEqual({ converted: [], isComplete: true });
  expect(taken).toBe(0);
});
