import type { PacketToConvert } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { convert, exceedsBacklog } from './convert';
import type { Parts } from './parts';

const call: Call = {
  id: newId(),
  requestId: 'r',
  retailer: 'acme',
  principal: { kind: 'service', id: 'ingest' },
  deadline: 0,
  at: 0,
};
const packet: PacketToConvert = {
  id: newId(),
  packetContentType: null,
  metadata: {},
  properties: {},
  attachments: [],
  receivedTimestamp: '2026-01-02T03:04:06+00:00',
};
const receipt = {
  transaction_id: 'T1',
  localtime: '2026-01-02T03:04:05',
  store_reference: '1',
  total: 5,
  items: [{ name: 'Shirt', quantity: 1, total: 5 }],
};

/** One mapping that always matches and always returns these receipts; the clock is fixed at 1,000. */
function world(json = JSON.stringify([receipt])) {
  const asked: unknown[] = [];
  const calls: Call[] = [];
  const parts = {
    activeMappings: {
      of: () =>
        Promise.resolve([
          { id: 'm', version: 1, key: 'k', match: {}, posted: { transform: { expression: '{}' } } },
        ]),
      forget() {},
    },
    sandbox: { run: () => Promise.resolve({ json }) },
    broker: {
      ask: (_: unknown, input: { body: Buffer }, by: Call) => {
        const body = JSON.parse(input.body.toString()) as { receipts: { id: string }[] };
        asked.push(body);
        calls.push(by);
        return Promise.resolve({ body: { results: body.receipts.map(({ id }) => ({ id })) } });
      },
    },
    now: () => new Date(1_000),
  };
  return { asked, calls, parts: parts as unknown as Parts };
}

test('stores nothing once the caller no longer waits', async () => {
  const { asked, parts } = world();
  await expect(convert(parts, packet, Buffer.from('x'), call, 1_000)).rejects.toMatchObject({ status: 503 });
  expect(asked).toEqual([]);
  expect(await convert(parts, packet, Buffer.from('x'), call, 1_001)).toEqual({
    receiptIds: [packet.id],
    mapping: { id: 'm', version: 1 },
    failure: null,
  });
});

test.each([
  [JSON.stringify([receipt])],
  [`\n[ ${JSON.stringify(receipt, null, 2)} ]\t`],
  [JSON.stringify([receipt, receipt])],
])('passes the mapping’s result to the owner: %j', async (json) => {
  const { asked, parts } = world(json);
  const { receiptIds } = await convert(parts, packet, Buffer.from('x'), call);
  expect(receiptIds[0]).toBe(packet.id);
  const given = receiptIds.map((id) => ({ id, receipt }));
  expect(asked).toEqual([{ pos_data_id: packet.id, receipts: given }]);
});

test('has no time limit unless the caller sets one', async () => {
  const { asked, parts } = world();
  await convert(parts, packet, Buffer.from('x'), call);
  expect(asked).toHaveLength(1);
});

test("restricts receipts to the consumers to whom the packet's sender is restricted", async () => {
  const { calls, parts } = world();
  await convert(parts, packet, Buffer.from('x'), { ...call, consumers: ['jane'] });
  await convert(parts, packet, Buffer.from('x'), call);
  expect(calls.map(({ consumers }) => consumers)).toEqual([['jane'], undefined]);
});

test.each([
  [26, 20_001, true],
  [26, 20_000, false],
  [25, 99_999, false],
])(
  'postpones jobs that take %d ms on average with %d ms of work waiting: %s',
  (averageMs, backlogMs, expected) => {
    const sandbox = { averageMs: () => averageMs, backlogMs: () => backlogMs };
    expect(exceedsBacklog({ sandbox } as unknown as Parts, 'acme')).toBe(expected);
  },
);

test('passes the time zone of the store, otherwise of the retailer, to a mapping that uses $local', async () => {
  const zones = async (reference: string | undefined, timezone: string | null) => {
    const { parts } = world();
    const asked: string[] = [];
    let zone: unknown;
    const local = {
      ...parts,
      activeMappings: {
        of: () =>
          Promise.resolve([
            {
              id: 'm',
              version: 1,
              key: 'k',
              match: {},
              posted: { transform: { expression: '{"a": $local(x)}' } },
            },
          ]),
      },
      sandbox: {
        run: ({ packet: given }: { packet: { storeZone?: string } }) => {
          zone = given.storeZone;
          return Promise.resolve({ json: '[]' });
        },
      },
      broker: {
        ask: ({ name }: { name: string }) => {
          asked.push(name);
          const store = timezone === null ? null : { timezone };
          const retailer = { settings: { timezone: 'Europe/Paris' } };
          return Promise.resolve({ body: { store, retailer, results: [] } });
        },
      },
    } as unknown as Parts;
    const metadata = reference === undefined ? {} : { store_reference: reference };
    await convert(local, { ...packet, metadata }, Buffer.from('x'), call);
    return [zone, asked.includes('admin.find-store')];
  };
  expect(await zones('1', 'Asia/Tokyo')).toEqual(['Asia/Tokyo', true]);
  expect(await zones('1', null)).toEqual(['Europe/Paris', true]);
  expect(await zones(undefined, null)).toEqual(['Europe/Paris', false]);
});
