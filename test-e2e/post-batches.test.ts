import { randomUUID } from 'node:crypto';
import type { HttpResponse } from './harness/http';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
  const store = { reference: 1, name: 'One', country: 'FRA' };
  expect((await retailer.api.post('/stores', store)).status).toBe(201);
});

type Lines = readonly (string | object)[];
const ndjson = { 'content-type': 'application/x-ndjson' };
const textOf = (lines: Lines) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

const post = (lines: Lines, headers: Record<string, string> = {}, by = retailer.api) =>
  by.post('/receipts/_batch', textOf(lines), { ...ndjson, ...headers });
const postList = (receipts: unknown, headers?: Record<string, string>) =>
  retailer.api.post('/receipts/_batch', { receipts }, headers);

interface Result {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly code?: string;
}

function resultsOf({ status, body }: HttpResponse): Result[] {
  expect(status).toBe(200);
  const { accepted, refused, results } = body as { accepted: number; refused: number; results: Result[] };
  expect(results.map(({ index }) => index)).toEqual([...results.keys()]);
  expect(accepted).toBe(results.filter((result) => result.status === 201).length);
  expect(refused).toBe(results.length - accepted);
  return results;
}

const outcomesOf = (answer: HttpResponse) => resultsOf(answer).map(({ status, code }) => code ?? status);
const transactions = async () => {
  const { body } = await retailer.api.get('/receipts', { count: 20 });
  return (body as { transaction_id: string }[]).map(({ transaction_id: id }) => id).reverse();
};

describe('a batch', () => {
  it.each([
    ['NDJSON', (receipts: object[]) => post(receipts)],
    ['JSON', (receipts: object[]) => postList(receipts)],
  ])('%s is stored in order', async (_, send) => {
    const receipts = Array.from({ length: 12 }, () => aReceipt());
    const results = resultsOf(await send(receipts));
    expect(results).toEqual(
      receipts.map((_receipt, index) => ({
        index,
        status: 201,
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
      })),
    );
    expect((await transactions()).slice(-12)).toEqual(receipts.map((receipt) => receipt['transaction_id']));
    const { body } = await retailer.api.get(`/receipts/${results[3]?.id}`);
    expect(body).toMatchObject({ id: results[3]?.id, transaction_id: receipts[3]?.['transaction_id'] });
  });

  it('may have empty lines, CRLF, a byte order mark and no line feed at its end', async () => {
    const lines = ['\ufeff', JSON.stringify(aReceipt()), '\r\n\r\n  \n', JSON.stringify(aReceipt())];
    const answer = await retailer.api.post('/receipts/_batch', lines.join(''), ndjson);
    expect(outcomesOf(answer)).toEqual([201, 201]);
  });

  it('has the same results that its receipts would have individually', async () => {
    const known = aReceipt({ external_id: randomUUID() });
    expect((await retailer.api.post('/receipts', known)).status).toBe(201);
    const refused: Lines = [
      '{"transaction_id": ',
      '"text"',
      aReceipt({ items: [{ name: 'A', 'name:xx_': 'B' }], other: 1 }),
      aReceipt({ store: { name: 'New', country: 'FRA' } }),
      aReceipt({ payments: [{ method: 'card', amount: 1, number: '12345' }] }),
      aReceipt({ attachments: { slip: { id: 'unknown' } } }),
      known,
      aReceipt({ external_id: known['external_id'] }),
      aReceipt({ items: Array.from({ length: 5_001 }, () => ({ name: 'A', quantity: 1, total: 1 })) }),
      `{"properties": ${'['.repeat(40)}${']'.repeat(40)}}`,
      '{"total": 1e400}',
      JSON.stringify(aReceipt({ properties: { long: 'x'.repeat(2 * 1024 * 1024) } })),
    ];
    const alone = await Promise.all(
      refused.map(async (line) => {
        const answer = await retailer.api.post('/receipts', textOf([line]), {
          'content-type': 'application/json',
        });
        const { request_id, status: _phrase, ...members } = answer.body as Record<string, unknown>;
        expect(request_id).toEqual(expect.any(String));
        return { status: answer.status, ...members };
      }),
    );
    const results = resultsOf(await post([aReceipt(), ...refused, aReceipt()]));
    expect(results.slice(1, -1)).toEqual(alone.map((result, i) => ({ index: i + 1, ...result })));
    expect([results[0]?.status, results.at(-1)?.status]).toEqual([201, 201]);
    expect(alone.every(({ status }) => status >= 400 && status < 500)).toBe(true);
  });

  it('rejects an id as a duplicate only if an earlier receipt with it was accepted', async () => {
    const known = aReceipt({ external_id: randomUUID() });
    expect((await retailer.api.post('/receipts', known)).status).toBe(201);
    const [a, b, c] = [uniqueId(), uniqueId(), uniqueId()];
    const external = randomUUID();
    const answer = await post([
      aReceipt({ transaction_id: a, total: 'x' }),
      aReceipt({ transaction_id: a }),
      aReceipt({ transaction_id: a, external_id: external }),
      aReceipt({ transaction_id: b, external_id: external }),
      aReceipt({ external_id: external.toUpperCase() }),
      aReceipt({ transaction_id: c, external_id: known['external_id'] }),
      aReceipt({ transaction_id: c }),
      aReceipt({ transaction_id: b }),
      aReceipt({ transaction_id: b, duplicate: true }),
      aReceipt({ transaction_id: b, total: 'x' }),
    ]);
    expect(outcomesOf(answer)).toEqual([
      'schema_validation_failed',
      201,
      'duplicate_transaction_id',
      201,
      'duplicate_external_id',
      'duplicate_external_id',
      201,
      'duplicate_transaction_id',
      201,
      'schema_validation_failed',
    ]);
    const results = resultsOf(answer);
    expect([results[2]?.id, results[4]?.id, results[7]?.id]).toEqual([
      results[1]?.id,
      results[3]?.id,
      results[3]?.id,
    ]);
    expect((await transactions()).slice(-4)).toEqual([a, b, c, expect.stringContaining(`${b}-duplicate-`)]);
  });

  it('accepts the first of as many receipts with one id as a batch may have', async () => {
    const transaction_id = uniqueId();
    const answer = await post(Array.from({ length: 500 }, () => aReceipt({ transaction_id })));
    const [first, ...others] = resultsOf(answer);
    expect(first?.status).toBe(201);
    expect(new Set(others.map(({ code, id }) => `${code} ${id}`))).toEqual(
      new Set([`duplicate_transaction_id ${first?.id}`]),
    );
  });

  it('contains the same links as individual responses', async () => {
    const linking = await aRetailer({ response_links: true });
    const answer = await post([aReceipt(), aReceipt({ total: 'x' })], {}, linking.api);
    const [stored, refused] = resultsOf(answer);
    const { body } = await linking.api.post('/receipts', aReceipt());
    const { _links: links } = stored as unknown as { _links: { webview: { href: string } } };
    expect(Object.keys(links)).toEqual(Object.keys((body as { _links: object })._links));
    expect((await fetch(links.webview.href)).status).toBe(200);
    expect(refused).not.toHaveProperty('_links');
  });

  it('updates stores in receipt order, but not for a duplicate', async () => {
    const bringing = await aRetailer({ stores: { from_receipt: true } });
    const named = (name: string, overrides: object = {}) =>
      aReceipt({ store_reference: 7, store: { name, country: 'FRA' }, ...overrides });
    const first = named('First');
    const lines = [first, named('Second'), named('Second'), named('Other', first), named('Last')];
    const repetition = { ...named('Other'), transaction_id: first['transaction_id'] };
    const answer = await post([...lines.slice(0, 3), repetition, lines[4] as object], {}, bringing.api);
    const results = resultsOf(answer);
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201, 409, 201]);
    const names = await Promise.all(
      [0, 1, 2, 4].map(async (i) => {
        const { body } = await bringing.api.get(`/receipts/${results[i]?.id}`);
        return (body as { store: { name: string } }).store.name;
      }),
    );
    expect(names).toEqual(['First', 'Second', 'Second', 'Last']);
    expect((await bringing.api.get('/stores/7')).body).toMatchObject({ name: 'Last' });
  });

  it('uses the store of an earlier receipt for a later receipt without a store', async () => {
    const bringing = await aRetailer({ stores: { from_receipt: true, require_known: true } });
    const allotted = await bringing.api.post('/receipts/_link', {});
    const [{ link }] = allotted.body.links as [{ link: string }];
    const at = { store_reference: 7 };
    const named = (name: string, change = {}) =>
      aReceipt({ ...at, store: { name, country: 'FRA' }, ...change });
    const lines = [aReceipt(at), named('Old', { link }), aReceipt(at), named('New'), aReceipt(at)];
    const results = resultsOf(await post(lines, {}, bringing.api));
    expect(results.map(({ status, code }) => code ?? status)).toEqual([
      'store_not_found',
      201,
      201,
      201,
      201,
    ]);
    const names = await Promise.all(
      results.slice(1).map(async ({ id }) => {
        const { body } = await bringing.api.get(`/receipts/${id}`);
        return (body as { store: { name: string } }).store.name;
      }),
    );
    expect(names).toEqual(['Old', 'Old', 'New', 'New']);
    expect((await bringing.api.get('/stores/7')).body).toMatchObject({ name: 'New' });
  });

  it('of a caller restricted to consumers contains only their receipts', async () => {
    const signed = retailer.signed({ consumer: 'jane' });
    const lines = [aReceipt({ identifier: 'jane' }), aReceipt({ identifier: 'joe' }), aReceipt()];
    expect(outcomesOf(await post(lines, {}, signed))).toEqual([
      201,
      'consumer_mismatch',
      'consumer_mismatch',
    ]);
  });
});

describe('a batch is rejected as a whole', () => {
  it.each([
    ['without a receipt', '', ndjson],
    ['with empty lines only', '\n\r\n \n', ndjson],
    ['with an empty list', '{"receipts": []}', { 'content-type': 'application/json' }],
    ['without a list', '{}', { 'content-type': 'application/json' }],
    ['that is not an object', '[]', { 'content-type': 'application/json' }],
    ['with an unknown member', '{"receipts": [{}], "more": 1}', { 'content-type': 'application/json' }],
  ])('%s: 422', async (_, text, headers) => {
    const answer = await retailer.api.post('/receipts/_batch', text, headers);
    expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors).not.toEqual([]);
  });

  it.each([
    '',
    '{"receipts": [{}',
    '{"receipts": [{]}',
    '{"receipts": [{},]}',
    '{"receipts": [1 2]}',
    '\xff',
  ])('when its JSON is malformed: %p', async (text) => {
    const stored = await transactions();
    const answer = await retailer.api.post('/receipts/_batch', Buffer.from(text, 'latin1'), {
      'content-type': 'application/json',
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_body']);
    expect(await transactions()).toEqual(stored);
  });

  it('with more than 500 receipts and stores none', async () => {
    const receipts = Array.from({ length: 501 }, () => aReceipt());
    const stored = await transactions();
    for (const answer of [await post(receipts), await postList(receipts)])
      expect([answer.status, answer.body.code]).toEqual([422, 'too_many']);
    expect(await transactions()).toEqual(stored);
    expect(resultsOf(await post(receipts.slice(1)))).toHaveLength(500);
  });

  it('with more than 8 MiB', async () => {
    const line = JSON.stringify(aReceipt());
    const text = `${line}\n${' '.repeat(8 * 1024 * 1024 - Buffer.byteLength(line) - 1)}`;
    const fits = await retailer.api.post('/receipts/_batch', text, ndjson);
    expect(outcomesOf(fits)).toEqual([201]);
    const answer = await retailer.api.post('/receipts/_batch', `${text} `, ndjson);
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
  });

  it.each([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/x-ndjson; charset=latin1' }, 415],
    [{ ...ndjson, 'content-encoding': 'gzip' }, 415],
    [{ ...ndjson, accept: 'text/html' }, 406],
  ])('with the headers %p', async (headers, status) => {
    expect((await retailer.api.post('/receipts/_batch', textOf([aReceipt()]), headers)).status).toBe(status);
  });

  it('without the permission to post receipts', async () => {
    const other = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    const answer = await post([aReceipt()], {}, other);
    expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied']);
  });
});

describe('a batch with an idempotency key', () => {
  it('is executed once, and a retry gets the original response', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const lines = [aReceipt(), aReceipt({ total: 'x' }), aReceipt({ transaction_id: 'again' }), aReceipt()];
    const repeating = { ...lines[0], total: 1 };
    const first = await post([...lines, repeating], key);
    expect(outcomesOf(first)).toEqual([
      201,
      'schema_validation_failed',
      201,
      201,
      'duplicate_transaction_id',
    ]);
    const again = await post([...lines, repeating], key);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await post(lines, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });

  it('returns its rejections again even if the receipts would now be accepted', async () => {
    const strict = await aRetailer({ stores: { require_known: true } });
    const key = { 'idempotency-key': randomUUID() };
    const lines = [aReceipt({ store_reference: 9 })];
    const first = await post(lines, key, strict.api);
    expect(outcomesOf(first)).toEqual(['store_not_found']);
    await strict.api.post('/stores', { reference: 9, name: 'Nine', country: 'FRA' });
    expect((await post(lines, key, strict.api)).body).toEqual(first.body);
    expect(outcomesOf(await post(lines, {}, strict.api))).toEqual([201]);
  });
});
