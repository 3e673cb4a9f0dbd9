import type { Collection } from 'mongodb';
import type { Database, OutboxItem } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { newPacketOf } from '../testing/samples';
import { outcomeOf } from '../testing/world';
import { finishPacket, type Packet } from '../domain/packet-state';
import { newDocument, packetOf, packetsDeclaration, type PacketDocument } from './packet-document';
import { convertedDocument, PacketOutcomes, type FinishedPacket } from './packet-outcomes';

const conversion = { event: 'e', cause: 'c' };

let database: Database;
let collection: Collection<PacketDocument>;
let outcomes: PacketOutcomes;

beforeAll(async () => {
  database = await startDatabase('ingest');
  collection = await database.collection<PacketDocument>(packetsDeclaration);
  outcomes = new PacketOutcomes(collection);
});
afterAll(() => database.close());

/** A stored packet, and its outcome with the event `e`. */
async function finished(outcome: 'converted' | 'crashed' = 'converted'): Promise<FinishedPacket> {
  const document = newDocument(newPacketOf(), new Date(0), 1);
  await collection.insertOne(document);
  const { raw: _, ...before } = document;
  const result = { attempt: 1, ...outcomeOf(document._id, outcome) };
  const packet = finishPacket(packetOf(before), result, new Date(1)) as Packet;
  const item = { id: 'e', type: 't', text: '{}' } as unknown as OutboxItem;
  return { before, packet, event: outcome === 'converted' ? { conversion } : { item } };
}

const save = (all: readonly FinishedPacket[]) => outcomes.save(all, AbortSignal.timeout(60_000));
const findStored = ({ packet }: FinishedPacket) => collection.findOne({ _id: packet.id });

test('saves outcomes with one command: successes with the origin of their event, failures with the event', async () => {
  const write = jest.spyOn(collection, 'bulkWrite');
  const [first, second, third] = [await finished(), await finished('crashed'), await finished()];
  expect(await save([first, second, third])).toBe(true);
  expect(write).toHaveBeenCalledTimes(1);
  write.mockRestore();
  for (const one of [first, third]) {
    const { raw, ...rest } = (await findStored(one)) as PacketDocument;
    expect(raw?.buffer.toString()).toBe('x');
    expect(rest).toEqual(convertedDocument(one.before, one.packet, conversion));
    expect(rest).toMatchObject({ status: 'converted', version: 2, conversion });
  }
  const failed = await findStored(second);
  expect(failed).toMatchObject({ status: 'failed', reason: 'crashed', version: 2, outbox: [{ id: 'e' }] });
  expect(failed).not.toHaveProperty('conversion');
});

test('does not save the outcome of a packet that was changed in the meantime, but those of the others', async () => {
  const [first, second] = [await finished(), await finished()];
  await collection.updateOne({ _id: first.packet.id }, { $set: { version: 2, status: 'failed' } });
  expect(await save([first, second])).toBe(false);
  expect(await findStored(first)).toMatchObject({ status: 'failed', receiptIds: [] });
  expect(await findStored(second)).toMatchObject({ status: 'converted', conversion });
});
