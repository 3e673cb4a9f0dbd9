import type { PacketToConvert } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { refusal, refusalOf } from '@receipts/testing';
import { jsonMapping, sales } from '../testing/samples';
import { packetOf, worldOfTests } from '../testing/world';
import { convertArrival } from './convert-arrival';

const world = worldOfTests();
const { stored, refusals } = world.neighbours;

const arrive = async (body: string, packet: Partial<PacketToConvert> = {}, changes = {}) => {
  const input = { params: packetOf(packet), body: Buffer.from(body) };
  return (await world.ask('convertArrival', input, changes)).body;
};
const storedOf = (id: string) => stored.filter(({ packet }) => packet === id);

test('converts a packet to a receipt with its own id, without a command to ingest', async () => {
  await world.setUp('m');
  const id = newId();
  const outcome = await arrive(sales('A1'), { id, properties: { email: 'a@b.example' } });
  expect(outcome).toEqual({ receiptIds: [id], mapping: { id: 'm', version: 1 }, failure: null });
  expect(storedOf(id)).toMatchObject([
    {
      ...{ id, retailer: world.retailer },
      receipt: { transaction_id: 'A1', total: 5, properties: { email: 'a@b.example' } },
    },
  ]);
  expect(world.counted.at(-1)).toBe('converted');
  expect(world.broker.received.map(({ name }) => name)).not.toContain('ingest.finish-packet');
});

test('returns the same ids for a redelivery', async () => {
  await world.setUp('m');
  const id = newId();
  const first = await arrive(sales('A', 'B', 'C'), { id });
  expect(new Set(first.receiptIds).size).toBe(3);
  expect(await arrive(sales('A', 'B', 'C'), { id })).toEqual(first);
});

test('uses the metadata for fields that the mapping omits', async () => {
  await world.setUp('m');
  const id = newId();
  await arrive(sales('A1'), { id, metadata: { identifier: 'joe', store_reference: '9' } });
  expect(storedOf(id)).toMatchObject([{ receipt: { identifier: 'joe', store_reference: '1' } }]);
});

test.each([
  ['decode_failed', '{"sales":'],
  ['mapping_failed', '{"sales": []}'],
  ['invalid_receipt', '{"sales": 5}'],
])('fails with %s: %s', async (reason, body) => {
  await world.setUp('m');
  const id = newId();
  const outcome = await arrive(body, { id });
  expect(outcome).toMatchObject({ receiptIds: [], mapping: { id: 'm', version: 1 }, failure: { reason } });
  expect(outcome.failure?.errors).not.toEqual([]);
  expect(world.counted.at(-1)).toBe(reason);
  expect(storedOf(id)).toEqual([]);
});

test('fails if a transaction id exists, and reports the other stored receipts', async () => {
  await world.setUp('m');
  refusals.set('TAKEN', { status: 409, code: 'duplicate_transaction_id', description: 'exists' });
  const id = newId();
  expect(await arrive(sales('FREE', 'TAKEN'), { id })).toMatchObject({
    receiptIds: [id],
    failure: { reason: 'duplicate_transaction_id', errors: [{ path: '/1', message: 'exists: TAKEN' }] },
  });
});

test('uses the named or the most specific mapping, but neither drafts nor mappings of other retailers', async () => {
  await world.setUp('any');
  await world.setUp('till', { match: { till_id: ['7'] } });
  await world.create(jsonMapping('draft', { match: { till_id: ['7'], store_reference: ['1'] } }));
  const mappingOf = async (metadata: PacketToConvert['metadata'], changes = {}) => {
    const { mapping, failure } = await arrive(sales('A1'), { metadata }, changes);
    return mapping?.id ?? failure?.reason;
  };
  expect(await mappingOf({})).toBe('any');
  expect(await mappingOf({ till_id: '7', store_reference: '1' })).toBe('till');
  expect(await mappingOf({ till_id: '7', mapping: 'any' })).toBe('any');
  for (const mapping of ['draft', 'nowhere']) expect(await mappingOf({ mapping })).toBe('no_mapping');
  expect(await mappingOf({}, { retailer: newId() })).toBe('no_mapping');
});

test('fails temporarily while receipt-store is unavailable', async () => {
  await world.setUp('m');
  refusals.set('AWAY', { status: 503, description: 'away' });
  expect((await refusal(arrive(sales('AWAY')))).status).toBe(503);
  refusals.delete('AWAY');
  expect((await arrive(sales('AWAY'))).failure).toBeNull();
});

test('rejects a packet from a retailer with too much slow work, and converts nothing', async () => {
  await world.setUp('m');
  const { parts } = world;
  const sandbox = { ...parts.sandbox, averageMs: () => 100, backlogMs: () => 60_000 };
  const before = [world.counted.length, stored.length];
  const input = { params: packetOf(), body: Buffer.from(sales('A1')) };
  const work = convertArrival({ ...parts, sandbox })(input as never, world.callOf());
  expect(await refusalOf(work)).toBe('503 unavailable');
  expect([world.counted.length, stored.length]).toEqual(before);
});

test('stores nothing once ingest has given up waiting', async () => {
  await world.setUp('m');
  const params = packetOf();
  const input = { params, body: Buffer.from(sales('A1')) };
  // The mapping is read, and the packet converted, with separate time limits.
  const late = convertArrival(world.parts)(input as never, world.callOf({ deadline: Date.now() - 1 }));
  expect(await refusalOf(late)).toBe('503 unavailable');
  expect(storedOf(params.id)).toEqual([]);
});
