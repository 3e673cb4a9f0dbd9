import type { Contract, HttpRoute } from '@receipts/kernel';
import { platformContracts } from './platform';
import { clientOf, goodReceipt as receipt, jsonHeaders, refusal } from './testing/client';
import { hmacCredential, signed, startHarness, type Harness } from './testing/harness';

// The gateway with the platform's own contracts, without any service behind it.
let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness({ contracts: platformContracts });
});
afterAll(() => gateway.close());

const { post } = clientOf(() => gateway);

describe('a caller that is restricted to a consumer', () => {
  const send = (path: string, body: unknown, headers: Record<string, string> = jsonHeaders) =>
    fetch(`${gateway.url}${path}?${signed({ consumer: 'jane' })}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const raw = (identifier: string) => ({ 'content-type': 'text/plain', 'service-identifier': identifier });
  const entry = {
    source_id: 'journal',
    source_read: '2026-01-02T03:04:05Z',
    entry_id: '1',
    store_reference: 7,
    till_id: '1',
    till_uuid: 'a till',
    receipt: Buffer.from('TOTAL 5.00').toString('base64'),
  };

  it.each<[string, string, unknown, Record<string, string>]>([
    ['a receipt', '/receipts', { ...receipt, identifier: 'joe' }, jsonHeaders],
    ['a receipt without a consumer', '/receipts', receipt, jsonHeaders],
    ['a raw receipt', '/pos/receipts', 'TOTAL 5.00', raw('joe')],
    ['a raw receipt without a consumer', '/pos/receipts', 'TOTAL 5.00', { 'content-type': 'text/plain' }],
    ['a journal entry, which has no consumer', '/pos/data', entry, jsonHeaders],
  ])('cannot post for another consumer: %s', async (_, path, body, headers) => {
    const reached = gateway.broker.received.length;
    expect(await refusal(await send(path, body, headers))).toMatchObject({
      http: 403,
      code: 'consumer_mismatch',
    });
    expect(gateway.broker.received).toHaveLength(reached);
  });

  it('can post for its own consumer', async () => {
    expect((await send('/receipts', { ...receipt, identifier: 'jane' })).status).toBe(201);
    expect((await send('/pos/receipts', 'TOTAL 5.00', raw('jane'))).status).toBe(202);
    expect((await post('/pos/data', JSON.stringify(entry))).status).toBe(204);
  });
});

describe('for callers who are restricted to consumers, or must name one', () => {
  const contracts = platformContracts.flatMap((owned): readonly Contract[] => Object.values(owned));
  const endpoints = contracts.flatMap((contract) => {
    const { http } = contract;
    return http && (http.access ?? 'retailer') === 'retailer' ? [{ ...contract, http }] : [];
  });
  const namesOf = (some: readonly Contract[]) => [...new Set(some.map(({ name }) => name))].sort();
  const demanding = hmacCredential({
    id: 3,
    key: 'demands-a-consumer-1',
    settings: { consumer_required: true },
  });
  beforeAll(() => {
    gateway.admin.credentials.set(demanding.key, demanding);
    gateway.book.follow({ retailer: demanding.retailer, data: demanding });
  });

  const outcomeOf = async ({ method, path, version }: HttpRoute, args: URLSearchParams) => {
    const named = path.replaceAll(/\{\w+\}/g, '6650d1c2a4b8e9f012345678');
    const headers = { ...jsonHeaders, ...(version && { 'service-api-version': version }) };
    const response = await fetch(`${gateway.url}${named}?${args.toString()}`, { method, headers });
    const text = await response.text();
    return response.status === 403 ? (JSON.parse(text) as { code: string }).code : 'accepted';
  };

  it('all endpoints have a permission, and only they declare what these callers get', () => {
    expect(endpoints.length).toBeGreaterThan(50);
    expect(namesOf(endpoints.filter(({ permission }) => permission === undefined))).toEqual([]);
    const declaring = contracts.filter(({ forConsumers, http }) => forConsumers ?? http?.consumerScoped);
    expect(namesOf(endpoints)).toEqual(expect.arrayContaining(namesOf(declaring)));
  });

  it('only these endpoints return nothing that belongs to a consumer', () => {
    const open = endpoints.filter(({ forConsumers }) => forConsumers === 'unrelated');
    expect(namesOf(open)).toEqual([
      'admin.get-store',
      'admin.list-stores',
      'identifier.validate-identifier',
      'identifier.verify-card',
      'receipt-store.allot-links',
    ]);
  });

  it.each(endpoints.map(({ name, forConsumers, http }) => [forConsumers ?? 'closed', name, http] as const))(
    'is %s: %s',
    async (access, _, http) => {
      const reached = gateway.broker.received.length;
      const expected = access === 'closed' ? 'consumer_mismatch' : 'accepted';
      expect(await outcomeOf(http, signed({ consumer: 'jane' }))).toBe(expected);
      const { key } = demanding;
      if (http.consumerScoped) expect(await outcomeOf(http, signed({ key }))).toBe(expected);
      if (access === 'closed') expect(gateway.broker.received).toHaveLength(reached);
    },
  );
});

describe('a posted receipt', () => {
  const ones = (count: number) => Array.from({ length: count }, () => 1);
  const members = (count: number) => Object.fromEntries(ones(count).map((one, n) => [`k${n}`, one]));

  it.each([
    ['items', { ...receipt, items: ones(5_001) }, 'a receipt can have at most 5000 items'],
    [
      'properties',
      { ...receipt, properties: members(10_001) },
      'a receipt can have at most 10000 properties',
    ],
    ['values', { ...receipt, payments: ones(20_000) }, 'the body has more than 20000 values'],
  ])('is rejected above the limit of %s that the description states', async (what, body, description) => {
    const refused = await refusal(await post('/receipts', JSON.stringify(body)));
    expect(refused).toMatchObject({ http: 422, code: 'too_many' });
    expect(refused.description).toContain(description);
    const said = platformContracts.flatMap((owned) => Object.values(owned));
    const posting = said.find(({ name }) => name === 'receipt-store.create-receipt');
    expect(posting?.description).toContain(`${/\d+/.exec(description)?.[0] ?? ''} ${what}`);
  });

  it('may have as many properties as described', async () => {
    const body = JSON.stringify({ ...receipt, properties: members(10_000) });
    expect((await post('/receipts', body)).status).toBe(201);
  });
});

describe('sends', () => {
  it('are limited per credential, as every response shows', async () => {
    const body = JSON.stringify({ id: '6650d1c2a4b8e9f012345678', channels: ['email'] });
    const send = async (query = '') => {
      const init = { method: 'POST', headers: jsonHeaders, body };
      const { headers } = await (query === ''
        ? post('/receipts/_send', body)
        : fetch(`${gateway.url}/receipts/_send?${query}`, init));
      expect(headers.get('ratelimit-policy')).toBe('"route";q=6000;w=60');
      return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    expect(await send()).toBe(5_999);
    expect(await send(signed().toString())).toBe(5_999);
  });
});
