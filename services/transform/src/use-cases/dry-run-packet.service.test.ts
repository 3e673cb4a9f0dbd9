import { packetNotFound, type PacketView } from '@receipts/contracts';
import { newId, ServiceError } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { jsonMapping, sales } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

/** The packets in ingest, by retailer and id. */
const packets = new Map<string, { view: PacketView; bytes: Buffer }>();

world.broker.answer = ({ name }, { params }, { retailer }) => {
  const found = packets.get(`${retailer} ${(params as { id: string }).id}`);
  if (!found) throw new ServiceError(packetNotFound);
  const body = name === 'ingest.get-packet' ? Buffer.from(JSON.stringify(found.view)) : found.bytes;
  return { meta: undefined, body };
};

/** Stores a failed packet of the retailer, and returns its id. */
function keep(bytes: string | Buffer, changes: Partial<PacketView> = {}): string {
  const id = newId();
  const view: PacketView = {
    id,
    status: 'failed',
    reason: 'mapping_failed',
    errors: [],
    content_type: 'application/json',
    size: bytes.length,
    attempts: 1,
    receipt_id: id,
    receipt_ids: [],
    duplicate: false,
    received_timestamp: '2026-01-02T03:04:06+00:00',
    updated_timestamp: '2026-01-02T03:04:06+00:00',
    mapping: null,
    metadata: {},
    properties: {},
    ...changes,
  };
  packets.set(`${world.retailer} ${id}`, { view, bytes: Buffer.from(bytes) });
  return id;
}

const dryRunPacket = async (packet_id: string, mapping?: string, id = world.retailer) => {
  const body = mapping === undefined ? {} : { mapping };
  const operator = { retailer: '', principal: { kind: 'operator', id: 'o' } } as const;
  return (await world.ask('dryRunPacket', { params: { id, packet_id }, body }, operator as never)).body;
};

test('tries the mapping that the packet failed with, with all its metadata', async () => {
  await world.setUp('m');
  await world.create(jsonMapping('n'));
  const id = keep(sales('O1'), {
    mapping: { id: 'm', version: 1 },
    metadata: { identifier: 'joe', mapping: 'n' },
    properties: { email: 'a@b.example' },
  });
  const tried = await dryRunPacket(id);
  expect(tried).toMatchObject({
    packet: { id, status: 'failed' },
    mapping: 'm',
    mappings: ['m', 'n'],
    raw: { text: sales('O1'), is_whole: true },
    dry_run: {
      errors: [],
      receipts: [{ transaction_id: 'O1', identifier: 'joe', properties: { email: 'a@b.example' } }],
    },
  });
});

test('prefers the given mapping, then the packet’s, then the mapping named by its sender', async () => {
  for (const id of ['a', 'b', 'c']) await world.create(jsonMapping(id));
  const id = keep(sales('O1'), { mapping: { id: 'b', version: 1 }, metadata: { mapping: 'c' } });
  expect((await dryRunPacket(id, 'a')).mapping).toBe('a');
  expect((await dryRunPacket(id)).mapping).toBe('b');
  expect((await dryRunPacket(keep(sales('O1'), { metadata: { mapping: 'c' } }))).mapping).toBe('c');
});

test('tries no mapping if none is known, or the known one no longer exists', async () => {
  await world.create(jsonMapping('m'));
  const none = { mapping: null, dry_run: null, mappings: ['m'] };
  expect(await dryRunPacket(keep(sales('O1')))).toMatchObject(none);
  expect(await dryRunPacket(keep(sales('O1'), { mapping: { id: 'gone', version: 1 } }))).toMatchObject(none);
});

test('does not find a missing mapping or packet, or one that belongs to another retailer', async () => {
  await world.create(jsonMapping('m'));
  const id = keep(sales('O1'));
  expect(await refusalOf(dryRunPacket(id, 'gone'))).toBe('404 mapping_not_found');
  expect(await refusalOf(dryRunPacket(newId()))).toBe('404 packet_not_found');
  expect(await refusalOf(dryRunPacket(id, 'm', newId()))).toBe('404 packet_not_found');
  world.retailer = newId();
  expect(await refusalOf(dryRunPacket(keep(sales('O1')), 'm'))).toBe('404 mapping_not_found');
});

test('requests the packet as the service on behalf of the retailer, and changes nothing', async () => {
  await world.create(jsonMapping('m'));
  const before = world.broker.received.length;
  await dryRunPacket(keep(sales('O1')), 'm');
  const [, ...asked] = world.broker.received.slice(before);
  expect(asked.map(({ name }) => name)).toEqual([
    'ingest.get-packet',
    'ingest.get-packet-raw',
    'receipt-store.preview-receipt',
  ]);
  for (const { call } of asked)
    expect(call).toMatchObject({
      retailer: world.retailer,
      principal: { kind: 'service', id: 'transform' },
    });
});

const shownMax = 64 * 1024;

test.each([
  ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x80]), null, true],
  ['exactly as much as is shown', Buffer.alloc(shownMax, 'a'), 'a'.repeat(shownMax), true],
  ['one byte more', Buffer.alloc(shownMax + 1, 'a'), 'a'.repeat(shownMax), false],
  [
    'a split character',
    Buffer.from(`a${'é'.repeat(shownMax / 2)}`),
    `a${'é'.repeat(shownMax / 2 - 1)}`,
    false,
  ],
])('%s', async (_, bytes, text, is_whole) => {
  expect((await dryRunPacket(keep(bytes))).raw).toEqual({ text, is_whole });
});
