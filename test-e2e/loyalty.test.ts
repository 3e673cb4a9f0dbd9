import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

const loyalty = [
  { id: 1, name: 'Rewards', rule: { spend: 100, value: 5, name: '5 off' } },
  { id: 7, name: 'Gold', rule: { spend: 1000, value: 75.5, name: '=gold, "best"' } },
];

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ loyalty });
});

const rewards = (
  query: Record<string, string> = {},
  program: number | string = 1,
  by: Client = retailer.api,
) => by.get(`/loyalty/${program}/rewards`, query);
const buy = async (identifier: string | null, total: number, overrides: Record<string, unknown> = {}) => {
  const receipt = aReceipt({ total, ...(identifier !== null && { identifier }), ...overrides });
  const answer = await retailer.api.post('/receipts', receipt);
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
/** Rewards are issued asynchronously. */
const earned = (identifier: string, count: number, program = 1) =>
  until(`${count} rewards`, async () => {
    const { body } = await rewards({ consumer: identifier }, program);
    return body.length === count && body;
  });
const summarised = (identifier: string, total: number) =>
  until(`a total of ${total}`, async () => {
    const { body } = await retailer.api.get(`/identifiers/${identifier}`);
    return body?.summary?.total === total;
  });

describe('earning', () => {
  it('issues a reward each time the total passes a multiple of spend', async () => {
    const joe = uniqueId('joe');
    await buy(joe, 99.99);
    await summarised(joe, 99.99);
    expect((await rewards({ consumer: joe })).body).toEqual([]);
    await buy(joe, 200.01, { localtime: '2026-03-14T12:30:00+01:00' });
    const found = await earned(joe, 3);
    expect(found[0]).toEqual({
      id: expect.any(Number) as number,
      identifier: joe,
      name: '5 off',
      claimed: false,
      value: 5,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string,
      receipt_timestamp: '2026-03-14T11:30:00+00:00',
    });
    expect(new Set(found.map(({ id }: { id: number }) => id)).size).toBe(3);
    expect((await rewards({ consumer: joe }, 7)).body).toEqual([]);
  });

  it('neither revokes a reward after a return nor issues it again, and ignores duplicates', async () => {
    const joe = uniqueId('joe');
    const transaction = uniqueId();
    await buy(joe, 120, { transaction_id: transaction });
    await earned(joe, 1);
    await buy(joe, 120, { transaction_id: transaction, duplicate: true });
    await buy(joe, -50);
    await buy(joe, 60);
    await summarised(joe, 130);
    await earned(joe, 1);
    await buy(joe, 70);
    await earned(joe, 2);
  });

  it('counts a receipt that is assigned or patched later for its consumer', async () => {
    const [joe, ann] = [uniqueId('joe'), uniqueId('ann')];
    const id = await buy(null, 100);
    await retailer.api.post('/receipts/_assign', { id, identifier: joe });
    await earned(joe, 1);
    await retailer.api.patch(`/receipts/${id}`, [{ op: 'replace', path: '/identifier', value: ann }]);
    await earned(ann, 1);
    await earned(joe, 1);
  });

  it('issues each reward once for many concurrent receipts', async () => {
    const joe = uniqueId('joe');
    await Promise.all(Array.from({ length: 20 }, () => buy(joe, 55)));
    await earned(joe, 11);
    await earned(joe, 1, 7);
    await summarised(joe, 1100);
    expect((await rewards({ consumer: joe })).body).toHaveLength(11);
  });
});

describe('GET /loyalty/{program_id}/rewards', () => {
  let owner: TestRetailer;
  let stamps: string[];
  const read = (query: Record<string, string> = {}) => owner.api.get('/loyalty/1/rewards', query);
  const names = (body: { identifier: string }[]) => body.map(({ identifier }) => identifier);

  beforeAll(async () => {
    owner = await aRetailer({ loyalty });
    for (const [n, identifier] of ['joe', 'ann', '+joe'].entries()) {
      await owner.api.post('/receipts', aReceipt({ identifier, total: 100 }));
      await until('the reward', async () => (await read()).body.length === n + 1);
    }
    stamps = (await read()).body.map(({ timestamp }: { timestamp: string }) => timestamp);
  });

  it('sorts by timestamp in descending order', async () => {
    const { status, body } = await read();
    expect([status, names(body)]).toEqual([200, ['+joe', 'ann', 'joe']]);
    expect([...stamps].sort().reverse()).toEqual(stamps);
  });

  it('filters by consumer, time range (inclusive) and claimed', async () => {
    expect(names((await read({ consumer: 'joe' })).body)).toEqual(['joe']);
    expect((await read({ consumer: 'nobody' })).body).toEqual([]);
    const [newest = '', middle = '', oldest = ''] = stamps;
    expect(names((await read({ from_timestamp: middle })).body)).toEqual(['+joe', 'ann']);
    expect(names((await read({ to_timestamp: middle })).body)).toEqual(['ann', 'joe']);
    expect(names((await read({ from_timestamp: oldest, to_timestamp: oldest })).body)).toEqual(['joe']);
    expect(names((await read({ from_timestamp: newest.replace('+00:00', 'Z') })).body)).toEqual(['+joe']);
    expect((await read({ from_timestamp: '2100-01-01' })).body).toEqual([]);
    expect((await read({ to_timestamp: '2020-12-31T23:59:59' })).body).toEqual([]);
    expect((await read({ claimed: 'all' })).body).toHaveLength(3);
    expect((await read({ claimed: 'false' })).body).toHaveLength(3);
    expect((await read({ claimed: 'true' })).body).toEqual([]);
  });

  it.each([
    { claimed: 'yes' },
    { claimed: '' },
    { from_timestamp: 'yesterday' },
    { from_timestamp: '2026-02-30T00:00:00Z' },
    { to_timestamp: '2026' },
    { consumer: '' },
  ])('returns 400 for %j', async (query) => {
    const answer = await read(query as Record<string, string>);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
  });

  it('treats the consumer as one identifier, including commas', async () => {
    const both = uniqueId('ann,joe');
    await buy(both, 100);
    await earned(both, 1);
    const [ann = '', joe = ''] = both.split(',');
    expect((await rewards({ consumer: ann })).body).toEqual([]);
    expect((await rewards({ consumer: `${joe},${ann}` })).body).toEqual([]);
    expect((await rewards({ consumer: 'a,b,c,d,e,f' })).body).toEqual([]);
  });

  it('streams a long list completely in JSON and CSV', async () => {
    const rule = { spend: 1, value: 1, name: '1 off' };
    const many = await aRetailer({ loyalty: [{ id: 1, name: 'Many', rule }] });
    const count = 6_000;
    const perReceipt = 1_000;
    // At most 1,000 rewards are issued to a consumer at once.
    for (let n = perReceipt; n <= count; n += perReceipt) {
      await many.api.post('/receipts', aReceipt({ identifier: 'joe', total: perReceipt }));
      await until('the rewards', async () => (await many.api.get('/loyalty/1/rewards')).body.length === n);
    }
    const { headers, body } = await many.api.get('/loyalty/1/rewards', { consumer: 'joe', pretty: 'true' });
    expect(headers['transfer-encoding']).toBe('chunked');
    const ids = (body as { id: number }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(count);
    const csv = (await many.api.get('/loyalty/1/rewards.csv')).bytes.toString().split('\r\n');
    expect(csv.slice(1, -1).map((line) => Number(line.split(',', 1)[0]))).toEqual(ids);
  });

  it('returns 404 for an unknown programme', async () => {
    for (const id of ['2', '0', 'x', '01', '-1', '99999999999999999999']) {
      const answer = await owner.api.get(`/loyalty/${id}/rewards`);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      expect((await owner.api.get(`/loyalty/${id}/rewards.csv`)).status).toBe(404);
    }
    const plain = await aRetailer();
    expect((await plain.api.get('/loyalty/1/rewards')).status).toBe(404);
  });

  it('restricts rewards to the consumers of a signature', async () => {
    const ann = owner.signed({ consumer: 'ann' });
    expect(names((await ann.get('/loyalty/1/rewards')).body)).toEqual(['ann']);
    const both = owner.signed({ consumer: 'ann,joe' });
    expect(names((await both.get('/loyalty/1/rewards')).body)).toEqual(['ann', 'joe']);
    expect((await ann.get('/loyalty/1/rewards.csv')).bytes.toString()).not.toContain('joe');
  });

  it('returns RFC 4180 CSV whose cells are never executed by spreadsheets', async () => {
    const { status, headers, bytes } = await owner.api.get(
      '/loyalty/1/rewards.csv',
      {},
      { accept: 'text/csv' },
    );
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers['content-disposition']).toBe('attachment; filename="rewards-1.csv"');
    const lines = bytes.toString().split('\r\n');
    expect(lines[0]).toBe('id,identifier,name,claimed,value,timestamp,receipt_timestamp');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^\d+,'\+joe,5 off,false,5,/);
    expect(lines[4]).toBe('');
    const filtered = await owner.api.get('/loyalty/1/rewards.csv', { consumer: 'ann', claimed: 'false' });
    expect(filtered.bytes.toString().split('\r\n')).toHaveLength(3);
  });

  it('also quotes and neutralises names', async () => {
    await owner.api.post('/receipts', aReceipt({ identifier: 'gold', total: 1000 }));
    await until('it', async () => (await owner.api.get('/loyalty/7/rewards')).body.length === 1);
    const { bytes } = await owner.api.get('/loyalty/7/rewards.csv');
    expect(bytes.toString()).toContain(`,gold,"'=gold, ""best""",false,75.5,`);
  });

  it('does not serve rewards.csv as JSON', async () => {
    const answer = await owner.api.get('/loyalty/1/rewards.csv', {}, { accept: 'application/json' });
    expect(answer.status).toBe(406);
  });

  it('requires view.get_loyalty', async () => {
    const without = await owner.clientWith({ permissions: ['view.get_identifier'] });
    const holder = await owner.clientWith({ permissions: ['view.get_loyalty'] });
    for (const path of ['/loyalty/1/rewards', '/loyalty/1/rewards.csv']) {
      expect((await without.get(path)).status).toBe(403);
      expect((await holder.get(path)).status).toBe(200);
      expect((await (await anonymous()).get(path)).status).toBe(401);
    }
  });
});
