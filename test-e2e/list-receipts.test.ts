import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

const v2 = { 'service-api-version': '2' };
const total = 47;

let retailer: TestRetailer;
/** The ids in order of arrival. */
const ids: string[] = [];
const transactionIds: string[] = [];
let storeId: number;

beforeAll(async () => {
  retailer = await aRetailer();
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  await retailer.api.post('/stores', {
    reference: 2,
    external_reference: 'ABC',
    name: 'Two',
    country: 'FRA',
  });
  storeId = (await retailer.api.get('/stores/1')).body.id;
  for (let n = 0; n < total; n++) {
    const transaction_id = uniqueId('list');
    const answer = await retailer.api.post(
      '/receipts',
      aReceipt({
        transaction_id,
        // Receipts with older local times arrive later, to show that lists are sorted by arrival.
        localtime: `2026-01-01T10:${String(59 - n).padStart(2, '0')}:00`,
        store_reference: n % 3 === 0 ? 'ABC' : 1,
        ...(n % 2 === 0 && { identifier: 'joe@example.com' }),
        ...(n % 5 === 0 && { identifier: 'ann@example.com' }),
      }),
    );
    ids.push(answer.body.id);
    transactionIds.push(transaction_id);
  }
});

const newestFirst = () => [...ids].reverse();
const idsIn = (receipts: { id: string }[]) => receipts.map(({ id }) => id);
const page = (query: Record<string, string | number> = {}) => retailer.api.get('/receipts', query, v2);
const follow = (link: { href: string }, client: Client = retailer.api) =>
  client.get(link.href, undefined, v2);

describe('version 1', () => {
  const list = (query: Record<string, string | number | string[]> = {}, headers?: Record<string, string>) =>
    retailer.api.get('/receipts', query, headers);

  it('returns the most recent receipts as an array, newest first, 20 by default', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(idsIn(answer.body)).toEqual(newestFirst().slice(0, 20));
    expect(idsIn((await list({ count: 3 })).body)).toEqual(newestFirst().slice(0, 3));
  });

  it('is used without a header and for "1", and is named in the response', async () => {
    for (const headers of [undefined, { 'service-api-version': '1' }]) {
      const answer = await list({}, headers);
      expect(Array.isArray(answer.body)).toBe(true);
      expect(answer.headers['service-api-version']).toBe('1');
    }
  });

  it('returns 400 for any other version', async () => {
    for (const version of ['3', '0', '', 'v2', '2.0']) {
      const answer = await list({}, { 'service-api-version': version });
      expect([answer.status, answer.body.code]).toEqual([400, 'unsupported_version']);
    }
  });

  it('pages back with older until the array is empty', async () => {
    const seen: string[] = [];
    let older: string | undefined;
    for (;;) {
      const answer = await list({ count: 10, ...(older !== undefined && { older }) });
      if (answer.body.length === 0) break;
      seen.push(...idsIn(answer.body));
      older = seen.at(-1);
    }
    expect(seen).toEqual(newestFirst());
  });

  it('pages forward with newer until the array is empty, and returns each receipt exactly once', async () => {
    const seen: string[] = [];
    let newer = ids[0] as string;
    for (;;) {
      const answer = await list({ count: 10, newer });
      if (answer.body.length === 0) break;
      // A response is sorted newest first. The newest id is the next cursor.
      seen.unshift(...idsIn(answer.body));
      newer = seen[0] as string;
    }
    expect(seen).toEqual(newestFirst().slice(0, -1));
  });

  it('returns 400 for an unknown cursor', async () => {
    for (const query of [{ newer: 'x' }, { older: '000000000000000000000000' }]) {
      const answer = await list(query);
      expect([answer.status, answer.body.code]).toEqual([400, 'unknown_cursor']);
    }
  });

  it('filters by consumer, id, transaction id and store', async () => {
    const oneOf = (test: (n: number) => boolean) => newestFirst().filter((id) => test(ids.indexOf(id)));
    const ann = oneOf((n) => n % 5 === 0);
    expect(idsIn((await list({ consumer: 'ann@example.com' })).body)).toEqual(ann);
    const both = oneOf((n) => n % 5 === 0 || n % 2 === 0).slice(0, 20);
    expect(idsIn((await list({ consumer: 'ann@example.com,joe@example.com' })).body)).toEqual(both);
    expect(idsIn((await list({ consumer: ['ann@example.com', 'joe@example.com'] })).body)).toEqual(both);
    expect(idsIn((await list({ id: `${ids[3]},${ids[40]}` })).body)).toEqual([ids[40], ids[3]]);
    expect(idsIn((await list({ transaction_id: `${transactionIds[7]}` })).body)).toEqual([ids[7]]);
    const abc = oneOf((n) => n % 3 === 0);
    expect(idsIn((await list({ store_reference: 'ABC' })).body)).toEqual(abc);
    expect(idsIn((await list({ store_reference: '1', count: 5 })).body)).toEqual(
      oneOf((n) => n % 3 !== 0).slice(0, 5),
    );
    expect(idsIn((await list({ store_id: storeId, count: 5 })).body)).toEqual(
      oneOf((n) => n % 3 !== 0).slice(0, 5),
    );
    expect(idsIn((await list({ store_reference: 'ABC', consumer: 'ann@example.com' })).body)).toEqual(
      abc.filter((id) => ann.includes(id)),
    );
  });

  it('returns an empty array if nothing matches', async () => {
    for (const query of [
      { id: 'x' },
      { consumer: 'nobody' },
      { store_reference: 'nowhere' },
      { store_id: 999 },
    ]) {
      const answer = await list(query);
      expect([answer.status, answer.body]).toEqual([200, []]);
    }
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['count 0', { count: '0' }],
    ['count 21', { count: '21' }],
    ['count 1e1', { count: '1e1' }],
    ['count with trailing characters', { count: '5;' }],
    ['count twice', { count: ['1', '2'] }],
    ['six consumers', { consumer: 'a,b,c,d,e,f' }],
    ['an empty member', { consumer: 'a,,b' }],
    ['an empty vector', { consumer: '' }],
    ['a vector that ends with a comma', { id: 'a,' }],
    ['twenty-one ids', { id: Array.from({ length: 21 }, (_, n) => `i${n}`).join(',') }],
    [
      'twenty-one transaction ids',
      { transaction_id: Array.from({ length: 21 }, (_, n) => `i${n}`).join(',') },
    ],
    ['six stores', { store_reference: '1,2,3,4,5,6' }],
    ['a store id that is not a number', { store_id: 'x' }],
    ['pretty that is not a boolean', { pretty: '1' }],
    ['an unknown parameter', { colour: 'red' }],
    ['an operator', { 'id[$ne]': '1' }],
  ])('returns 400 for %s', async (_what, query) => {
    const answer = await list(query);
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      400,
      'invalid_parameter',
      'bad request',
    ]);
  });
});

describe('version 2', () => {
  it('returns links and receipts and names its version', async () => {
    const answer = await page();
    expect(answer.status).toBe(200);
    expect(answer.headers['service-api-version']).toBe('2');
    expect(idsIn(answer.body.receipts)).toEqual(newestFirst().slice(0, 20));
    expect(Object.keys(answer.body._links).sort()).toEqual(['latest', 'newer', 'next']);
  });

  it('follows rules 1 and 2: next leads to older receipts while there are any, and prev leads back', async () => {
    const pages: HttpResponse[] = [await page({ count: 10 })];
    for (let next; (next = pages.at(-1)?.body._links.next);) pages.push(await follow(next));
    expect(pages.map(({ body }) => body.receipts.length)).toEqual([10, 10, 10, 10, 7]);
    expect(pages.flatMap(({ body }) => idsIn(body.receipts))).toEqual(newestFirst());
    for (const { body } of pages) expect(body._links.latest.href).toMatch(/^\/receipts/);
    expect(pages.map(({ body }) => 'prev' in body._links)).toEqual([false, true, true, true, true]);
    expect(pages.map(({ body }) => 'newer' in body._links)).toEqual([true, false, false, false, false]);

    let back = pages.at(-1) as HttpResponse;
    for (let n = pages.length - 2; n >= 0; n--) {
      back = await follow(back.body._links.prev);
      expect(idsIn(back.body.receipts)).toEqual(idsIn((pages[n] as HttpResponse).body.receipts));
    }
    // A page reached by `prev` that starts with the newest receipt has a `newer` link, but no `prev` link.
    expect('newer' in back.body._links).toBe(true);
    expect('prev' in back.body._links).toBe(false);
  });

  it('follows rule 3: a single page may have fewer receipts than requested', async () => {
    const answer = await page({ consumer: 'ann@example.com' });
    expect(answer.body.receipts).toHaveLength(10);
    expect('next' in answer.body._links).toBe(false);
  });

  it('returns a latest link to the first page with the same filters', async () => {
    const second = await follow((await page({ count: 4, consumer: 'joe@example.com' })).body._links.next);
    const latest = await follow(second.body._links.latest);
    expect(idsIn(latest.body.receipts)).toEqual(
      idsIn((await page({ count: 4, consumer: 'joe@example.com' })).body.receipts),
    );
  });

  it('keeps the filters in links, without credentials or a host', async () => {
    const signed = retailer.signed({ consumer: 'joe@example.com' });
    const answer = await signed.get('/receipts', { count: 5, store_reference: '1' }, v2);
    expect(answer.status).toBe(200);
    for (const { href } of Object.values(answer.body._links) as { href: string }[]) {
      expect(href).toMatch(/^\/receipts\?/);
      const query = new URLSearchParams(href.slice(href.indexOf('?')));
      expect(query.get('store_reference')).toBe('1');
      expect(query.get('count')).toBe('5');
      for (const name of ['key', 'expires', 'signature']) expect(query.has(name)).toBe(false);
    }
  });

  it('accepts a link with an added signature although both contain the consumer', async () => {
    const joe = retailer.signed({ consumer: 'ann@example.com,joe@example.com,c,d,e' });
    const seen: string[] = [];
    for (let href: string | undefined = '/receipts?count=9'; href !== undefined;) {
      const answer = await follow({ href }, joe);
      expect(answer.status).toBe(200);
      seen.push(...idsIn(answer.body.receipts));
      href = answer.body._links.next?.href;
    }
    const expected = newestFirst().filter((id) => ids.indexOf(id) % 2 === 0 || ids.indexOf(id) % 5 === 0);
    expect(seen).toEqual(expected);
  });

  it('follows rule 4: newer returns only later arrivals, and prev pages through them if there are more than count', async () => {
    const own = await aRetailer();
    const post = async () => (await own.api.post('/receipts', aReceipt())).body.id as string;
    const get = (href: string) => own.api.get(href, undefined, v2);

    // An empty list also has a `newer` link.
    const empty = await get('/receipts?count=3');
    expect(empty.body.receipts).toEqual([]);
    expect(Object.keys(empty.body._links).sort()).toEqual(['latest', 'newer']);

    const first = [await post(), await post()];
    const answer = await get(empty.body._links.newer.href);
    expect(idsIn(answer.body.receipts)).toEqual([...first].reverse());
    expect('prev' in answer.body._links).toBe(false);

    // Without new receipts the page is empty, but still has a `newer` link.
    const nothing = await get(answer.body._links.newer.href);
    expect([nothing.body.receipts, 'newer' in nothing.body._links]).toEqual([[], true]);

    const more: string[] = [];
    for (let n = 0; n < 8; n++) more.push(await post());
    const seen: string[] = [];
    let next = await get(nothing.body._links.newer.href);
    for (;;) {
      seen.unshift(...idsIn(next.body.receipts));
      expect('newer' in next.body._links).toBe(true);
      if (!('prev' in next.body._links)) break;
      expect(next.body.receipts).toHaveLength(3);
      next = await get(next.body._links.newer.href);
    }
    expect(seen).toEqual([...more].reverse());
  });

  it('follows rule 5: receipts that arrive while a client pages back do not affect it', async () => {
    const own = await aRetailer();
    const posted: string[] = [];
    for (let n = 0; n < 9; n++) posted.push((await own.api.post('/receipts', aReceipt())).body.id);
    const seen: string[] = [];
    for (let href: string | undefined = '/receipts?count=2'; href !== undefined;) {
      const answer: HttpResponse = await own.api.get(href, undefined, v2);
      seen.push(...idsIn(answer.body.receipts));
      await own.api.post('/receipts', aReceipt());
      href = answer.body._links.next?.href;
    }
    expect(seen).toEqual([...posted].reverse());
  });

  it('returns 400 for an unknown cursor', async () => {
    for (const name of ['newer', 'next', 'prev']) {
      for (const value of ['x', '000000000000000000000000', 'eyJhIjoxfQ']) {
        const answer = await page({ [name]: value });
        expect([name, answer.status, answer.body.code]).toEqual([name, 400, 'unknown_cursor']);
      }
    }
  });

  it('has no "older" parameter, which belongs to version 1', async () => {
    expect((await page({ older: ids[3] as string })).status).toBe(400);
  });
});

describe('consumers', () => {
  it('restricts the list to the consumers of a signature', async () => {
    const joe = retailer.signed({ consumer: 'joe@example.com' });
    const answer = await joe.get('/receipts', { count: 20 });
    expect(answer.status).toBe(200);
    for (const receipt of answer.body) expect(receipt.identifier).toBe('joe@example.com');
    expect(answer.body.length).toBeGreaterThan(0);
  });

  it('rejects a request without a consumer if the client requires one', async () => {
    const client = await retailer.clientWith({
      permissions: ['view.*'],
      settings: { consumer_required: true },
    });
    const refused = await client.get('/receipts');
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
    expect((await client.get('/receipts', { consumer: 'joe@example.com' })).status).toBe(200);
  });

  it("never returns another retailer's receipts", async () => {
    const other = await aRetailer();
    expect((await other.api.get('/receipts')).body).toEqual([]);
    expect((await other.api.get('/receipts', { id: ids[0] as string })).body).toEqual([]);
    const answer = await other.api.get('/receipts', { newer: ids[0] as string });
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown_cursor']);
  });
});
