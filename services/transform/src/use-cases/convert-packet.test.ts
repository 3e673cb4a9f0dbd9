import type { PacketToConvert } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { refusal, until } from '@receipts/testing';
import { sales } from '../testing/samples';
import { packetOf, worldOfTests } from '../testing/world';
import { convertPacket } from './convert-packet';

const world = worldOfTests();
const { stored, refusals, finished } = world.neighbours;

type Order = Partial<PacketToConvert> & { readonly attempt?: number };

const inputOf = (body: string, { attempt = 1, ...packet }: Order = {}) => ({
  params: { ...packetOf(packet), attempt },
  body: Buffer.from(body),
});

/** Sends a request, and returns the report that ingest receives. */
async function order(body: string, changes: Order = {}, call = {}) {
  const id = changes.id ?? newId();
  const input = inputOf(body, { ...changes, id });
  const countOf = () => finished.filter((report) => report.id === id).length;
  const before = countOf();
  await world.ask('convertPacket', input, call);
  await until(`a report of ${id}`, () => countOf() > before);
  expect(countOf()).toBe(before + 1);
  return finished.findLast((report) => report.id === id);
}

test('reports the outcome to ingest, and sends no reply', async () => {
  await world.setUp('m');
  const id = newId();
  expect(await order(sales('P1'), { id, attempt: 3 })).toEqual({
    ...{ id, attempt: 3, receiptIds: [id], failure: null },
    mapping: { id: 'm', version: 1 },
  });
  expect(stored.find((receipt) => receipt.id === id)).toMatchObject({ packet: id, retailer: world.retailer });
  expect(world.counted.at(-1)).toBe('converted');
});

test('reports the outcome of a redelivered request again, with the same receipts', async () => {
  await world.setUp('m');
  const id = newId();
  const first = await order(sales('A', 'B'), { id });
  expect(first?.receiptIds).toHaveLength(2);
  expect(await order(sales('A', 'B'), { id })).toEqual(first);
});

test('reports a failure with every fault and its position', async () => {
  await world.setUp('m');
  const body = '{"sales": [{"number": "X", "sum": "much"}, {"number": 7, "sum": 1}]}';
  const report = await order(body);
  expect(report).toMatchObject({ receiptIds: [], failure: { reason: 'invalid_receipt' } });
  const paths = report?.failure?.errors.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['/0/total', '/0/items/0/total', '/1/transaction_id']));
  expect(world.counted.at(-1)).toBe('invalid_receipt');
});

test('fails if the retailer has no mapping', async () => {
  await world.setUp('m');
  const report = await order(sales('P1'), {}, { retailer: newId() });
  expect(report).toMatchObject({ mapping: null, failure: { reason: 'no_mapping' } });
});

test('reports as the service on behalf of the retailer, with the restriction and trace of the request', async () => {
  await world.setUp('m');
  const id = newId();
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  await order(sales('P1'), {}, { id, requestId: 'r', consumers: ['joe'], traceparent });
  const report = world.broker.received.findLast(({ name }) => name === 'ingest.finish-packet');
  expect(report).toMatchObject({
    kind: 'sent',
    call: {
      ...{ retailer: world.retailer, requestId: 'r', causationId: id, consumers: ['joe'] },
      principal: { kind: 'service', id: 'transform' },
    },
  });
});

test('reports nothing if receipt-store is unavailable, and fails the request', async () => {
  await world.setUp('m');
  refusals.set('AWAY', { status: 503, description: 'away' });
  const before = world.counted.length;
  const work = world.ask('convertPacket', inputOf(sales('AWAY')));
  expect((await refusal(work)).status).toBe(503);
  expect(world.counted).toHaveLength(before);
  expect(world.broker.last.name).toBe('receipt-store.add-converted-receipts');
  refusals.delete('AWAY');
  expect(await order(sales('AWAY'))).toMatchObject({ failure: null });
});

test('postpones a packet from a retailer with too much slow work, and reports nothing', async () => {
  await world.setUp('m');
  const { parts } = world;
  const sandbox = { ...parts.sandbox, averageMs: () => 100, backlogMs: () => 60_000 };
  const before = world.broker.received.length;
  await convertPacket({ ...parts, sandbox })(inputOf(sales('P1')) as never, world.callOf());
  expect(world.counted.at(-1)).toBe('postponed');
  expect(world.broker.received).toHaveLength(before);
});
