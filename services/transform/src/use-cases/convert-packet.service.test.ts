import type { PacketToConvert } from '@receipts/contracts';
import { newId, ServiceError, unavailable } from '@receipts/kernel';
import { refusalOf, until } from '@receipts/testing';
import { jsonMapping, sales } from '../testing/samples';
import { packetOf, worldOfTests } from '../testing/world';
import { convertPacket, exceedsBacklog } from './convert-packet';
import type { Dependencies } from './dependencies';

const world = worldOfTests();
const { converted, finished } = world.neighbours;

/** Converts a packet, and returns what transform passes on: its receipts, or its outcome. */
async function convert(body: string, changes: Partial<PacketToConvert> = {}, call = {}) {
  const packet = packetOf(changes);
  const passed = () => [
    ...converted.filter((one) => one.pos_data_id === packet.id),
    ...finished.filter((one) => one.id === packet.id),
  ];
  const before = passed().length;
  await world.ask('convertPacket', { params: packet, body: Buffer.from(body) }, call);
  await until(`the result of ${packet.id}`, () => passed().length > before);
  expect(passed()).toHaveLength(before + 1);
  return passed().at(-1);
}

test('passes a receipt with the id of the packet on to receipt-store, with the attempt and the mapping', async () => {
  await world.setUp('m');
  const id = newId();
  const result = await convert(sales('P1'), { id, attempt: 3, properties: { email: 'a@b.example' } });
  expect(result).toMatchObject({
    pos_data_id: id,
    attempt: 3,
    mapping: { id: 'm', version: 1 },
    receipts: [
      { id, part: 0, receipt: { transaction_id: 'P1', total: 5, properties: { email: 'a@b.example' } } },
    ],
  });
  expect(world.broker.received.map(({ name }) => name)).not.toContain('ingest.finish-packet');
});

test('derives the same ids when a packet is converted again', async () => {
  await world.setUp('m');
  const id = newId();
  const first = await convert(sales('A', 'B', 'C'), { id });
  const ids = first && 'receipts' in first ? first.receipts.map((one) => one.id) : [];
  expect(ids[0]).toBe(id);
  expect(new Set(ids).size).toBe(3);
  expect(await convert(sales('A', 'B', 'C'), { id })).toEqual(first);
});

test('uses the metadata for fields that the mapping omits', async () => {
  await world.setUp('m');
  const metadata = { identifier: 'joe', store_reference: '9' };
  expect(await convert(sales('A1'), { metadata })).toMatchObject({
    receipts: [{ receipt: { identifier: 'joe', store_reference: '1' } }],
  });
});

test.each([
  ['decode_failed', '{"sales":'],
  ['mapping_failed', '{"sales": []}'],
  ['invalid_receipt', '{"sales": 5}'],
])('reports the failure %s to ingest: %s', async (reason, body) => {
  await world.setUp('m');
  const result = await convert(body, { attempt: 2 });
  expect(result).toMatchObject({ attempt: 2, receiptIds: [], mapping: { id: 'm', version: 1 } });
  const failure = result && 'failure' in result && result.failure;
  expect(failure).toMatchObject({ reason });
  expect(failure && failure.errors).not.toEqual([]);
});

test('reports a failure with every fault and its position', async () => {
  await world.setUp('m');
  const body = '{"sales": [{"number": "X", "sum": "much"}, {"number": 7, "sum": 1}]}';
  const result = await convert(body);
  expect(result).toMatchObject({ receiptIds: [], failure: { reason: 'invalid_receipt' } });
  const paths = result && 'failure' in result ? result.failure?.errors.map(({ path }) => path) : [];
  expect(paths).toEqual(expect.arrayContaining(['/0/total', '/0/items/0/total', '/1/transaction_id']));
});

test('uses the named or the most specific mapping, but neither drafts nor mappings of other retailers', async () => {
  await world.setUp('any');
  await world.setUp('till', { match: { till_id: ['7'] } });
  await world.create(jsonMapping('draft', { match: { till_id: ['7'], store_reference: ['1'] } }));
  const mappingOf = async (metadata: PacketToConvert['metadata'], changes = {}) => {
    const result = await convert(sales('A1'), { metadata }, changes);
    return result?.mapping?.id ?? (result && 'failure' in result && result.failure?.reason);
  };
  expect(await mappingOf({})).toBe('any');
  expect(await mappingOf({ till_id: '7', store_reference: '1' })).toBe('till');
  expect(await mappingOf({ till_id: '7', mapping: 'any' })).toBe('any');
  for (const mapping of ['draft', 'nowhere']) expect(await mappingOf({ mapping })).toBe('no_mapping');
  expect(await mappingOf({}, { retailer: newId() })).toBe('no_mapping');
});

test.each([
  ['receipt-store.add-converted-receipts', sales('P1')],
  ['ingest.finish-packet', '{"sales":'],
])('sends %s for the retailer, with the restriction and trace of the request', async (name, body) => {
  await world.setUp('m');
  const id = newId();
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  await convert(body, {}, { id, requestId: 'r', consumers: ['joe'], traceparent });
  expect(world.broker.received.findLast((one) => one.name === name)).toMatchObject({
    kind: 'sent',
    call: {
      retailer: world.retailer,
      requestId: 'r',
      causationId: id,
      consumers: ['joe'],
      principal: { kind: 'service', id: 'transform' },
    },
  });
});

test('keeps the packet while the next queue does not accept its result', async () => {
  await world.setUp('m');
  const input = { params: packetOf(), body: Buffer.from(sales('P1')) };
  const broker = { ...world.deps.broker, send: () => Promise.reject(new ServiceError(unavailable)) };
  const work = convertPacket({ ...world.deps, broker } as never)(input as never, world.callOf());
  expect(await refusalOf(work)).toBe('503 unavailable');
});

test('postpones a packet from a retailer with too much slow work, and passes nothing on', async () => {
  await world.setUp('m');
  const { deps } = world;
  const sandbox = { ...deps.sandbox, averageMs: () => 100, backlogMs: () => 60_000 };
  const before = world.broker.received.length;
  const input = { params: packetOf(), body: Buffer.from(sales('P1')) };
  await convertPacket({ ...deps, sandbox })(input as never, world.callOf());
  expect(world.postponed).toBe(1);
  expect(world.broker.received).toHaveLength(before);
});

test.each([
  [26, 20_001, true],
  [26, 20_000, false],
  [25, 99_999, false],
])(
  'postpones jobs that take %d ms on average with %d ms of work waiting: %s',
  (averageMs, backlogMs, expected) => {
    const sandbox = { averageMs: () => averageMs, backlogMs: () => backlogMs };
    expect(exceedsBacklog({ sandbox } as unknown as Dependencies, 'acme')).toBe(expected);
  },
);
