import type { PacketToConvert } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { convert } from './convert';
import type { Dependencies } from './dependencies';

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
  attempt: 1,
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
const depsOf = (json: string) =>
  ({
    activeMappings: {
      of: () =>
        Promise.resolve([
          { id: 'm', version: 1, key: 'k', match: {}, posted: { transform: { expression: '{}' } } },
        ]),
      forget() {},
    },
    sandbox: { run: () => Promise.resolve({ json }) },
    now: () => new Date(1_000),
  }) as unknown as Dependencies;

test.each([
  [JSON.stringify([receipt])],
  [`\n[ ${JSON.stringify(receipt, null, 2)} ]\t`],
  [JSON.stringify([receipt, receipt])],
])('returns the mapping’s receipts as JSON: %j', async (json) => {
  const result = await convert(depsOf(json), packet, Buffer.from('x'), call);
  const texts = 'texts' in result ? result.texts : [];
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(json));
  expect(result).toMatchObject({ mapping: { id: 'm', version: 1 } });
});

test('returns the outcome of a packet without receipts', async () => {
  expect(await convert(depsOf('[]'), packet, Buffer.from('x'), call)).toEqual({
    receiptIds: [],
    mapping: { id: 'm', version: 1 },
    failure: null,
  });
});

test('passes the time zone of the store, otherwise of the retailer, to a mapping that uses $local', async () => {
  const zones = async (reference: string | undefined, timezone: string | null) => {
    const deps = depsOf('[]');
    const asked: string[] = [];
    let zone: unknown;
    const local = {
      ...deps,
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
    } as unknown as Dependencies;
    const metadata = reference === undefined ? {} : { store_reference: reference };
    await convert(local, { ...packet, metadata }, Buffer.from('x'), call);
    return [zone, asked.includes('admin.find-store')];
  };
  expect(await zones('1', 'Asia/Tokyo')).toEqual(['Asia/Tokyo', true]);
  expect(await zones('1', null)).toEqual(['Europe/Paris', true]);
  expect(await zones(undefined, null)).toEqual(['Europe/Paris', false]);
});
