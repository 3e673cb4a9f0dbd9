import http from 'node:http';
import type { TestRetailer } from './harness/client';
import { bearerToken } from './harness/credentials';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let ids: string[];
const count = 2_300;
const batchSize = 460;
const range = { from: '2026-03-14', to: '2026-03-15' };
const outside = ['2026-03-13T23:59:59.999', '2026-03-15T00:00:00', '2024-01-01T00:00:00'];

async function postAll(receipts: readonly object[]): Promise<string[]> {
  const { body } = await retailer.api.post('/receipts/_batch', { receipts });
  return (body as { results: { id: string }[] }).results.map(({ id }) => id);
}

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'UTC' });
  for (const store of [{ reference: 1 }, { reference: 2, external_reference: 'two' }])
    await retailer.api.post('/stores', { name: 'Store', country: 'FRA', ...store });
  ids = [];
  for (let at = 0; at < count; at += batchSize) {
    const receipts = Array.from({ length: batchSize }, (_, i) =>
      aReceipt({
        localtime: i === 0 ? '2026-03-14T00:00:00' : `2026-03-14T12:00:00.${String(i).padStart(3, '0')}`,
        store_reference: i % 2 === 0 ? 1 : 'two',
      }),
    );
    ids.push(...(await postAll(receipts)));
    await postAll(outside.map((localtime) => aReceipt({ localtime })));
  }
});

const get = (query: Record<string, string> = {}, headers?: Record<string, string>) =>
  retailer.api.get('/receipts/export', { ...range, ...query }, headers);

const linesOf = ({ status, bytes }: HttpResponse) => {
  expect([status, status === 200 ? '' : bytes.toString()]).toEqual([200, '']);
  expect(bytes.toString()).toMatch(/\n$/);
  return bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly id?: string; readonly _cursor?: string });
};
const idsOf = (answer: HttpResponse) => linesOf(answer).flatMap(({ id }) => id ?? []);

/** Parses RFC 4180. */
function rowsOf({ bytes }: HttpResponse): string[][] {
  const text = bytes.toString();
  expect(text).toMatch(/\r\n$/);
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
      ),
    );
}

describe('an export', () => {
  it('contains the receipts in the range in order of arrival, with cursors', async () => {
    const answer = await get();
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const lines = linesOf(answer);
    expect(lines.flatMap(({ id }) => id ?? [])).toEqual(ids);
    const cursors = [...lines.keys()].filter((i) => lines[i]?._cursor !== undefined);
    expect(cursors).toEqual([1_000, 2_001, count + 2]);
    expect(lines[0]).toEqual((await retailer.api.get(`/receipts/${ids[0]}`)).body);
  });

  it('continues from each of its cursors', async () => {
    const lines = linesOf(await get());
    for (const at of [1_000, 2_001]) {
      const after = lines[at]?._cursor as string;
      const rest = linesOf(await get({ after }));
      expect(rest.flatMap(({ id }) => id ?? [])).toEqual(ids.slice(at === 1_000 ? 1_000 : 2_000));
    }
    const after = lines.at(-1)?._cursor as string;
    expect(linesOf(await get({ after }))).toEqual([{ _cursor: after }]);
    const [late] = await postAll([aReceipt({ localtime: '2026-03-14T09:00:00' })]);
    ids.push(late as string);
    expect(idsOf(await get({ after }))).toEqual([late]);
  });

  it('as CSV continues from each of its cursors', async () => {
    const header = 'id,transaction_id,external_id,';
    const download = async (query = {}) => rowsOf(await get({ format: 'csv', ...query }));
    const isCursor = ([first]: readonly string[]) => first === '#cursor';
    const rows = await download();
    expect(rows[0]?.join().startsWith(header)).toBe(true);
    const cursors = rows.filter(isCursor).map(([, cursor]) => cursor as string);
    expect(cursors).toHaveLength(3);
    const at = (cursor: string) => rows.findIndex((row) => row[0] === '#cursor' && row[1] === cursor);
    const receiptsIn = (some: string[][]) =>
      new Set(some.filter((row) => !isCursor(row)).map(([id]) => id)).size;
    expect(cursors.slice(0, 2).map((cursor) => receiptsIn(rows.slice(1, at(cursor))))).toEqual([
      1_000, 2_000,
    ]);
    for (const after of cursors) {
      const rest = await download({ after });
      const items = (some: string[][]) => some.filter((row) => !isCursor(row));
      expect(items(rest)).toEqual([rows[0], ...items(rows.slice(at(after) + 1))]);
    }
  });

  it('continues after an interrupted download without gaps or duplicates', async () => {
    const url = `${retailer.api.baseUrl}/receipts/export?from=${range.from}&to=${range.to}`;
    const token = bearerToken(retailer.bearer);
    const text = await new Promise<string>((resolve, reject) => {
      const sent = http.get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
          if (received.includes('_cursor')) response.destroy();
        });
        response.once('close', () => resolve(received));
      });
      sent.once('error', reject);
    });
    const kept = text.slice(0, text.indexOf('\n', text.lastIndexOf('_cursor')) + 1);
    const lines = kept
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: string; _cursor?: string });
    const after = lines.at(-1)?._cursor as string;
    const first = lines.flatMap(({ id }) => id ?? []);
    expect(first.length % 1_000).toBe(0);
    expect([...first, ...idsOf(await get({ after }))]).toEqual(ids);
  });

  it('can be limited to stores, by either of their references', async () => {
    const all = idsOf(await get());
    const [first, second] = [await get({ store_reference: '1' }), await get({ store_reference: 'two' })];
    expect([...idsOf(first), ...idsOf(second)].sort()).toEqual([...all].sort());
    expect(idsOf(await get({ store_reference: '2' }))).toEqual(idsOf(second));
    expect(idsOf(await get({ store_reference: '1,two' })).sort()).toEqual([...all].sort());
    expect(linesOf(await get({ store_reference: 'three' }))).toEqual([{ _cursor: expect.any(String) }]);
  });

  it('of a range without receipts contains only a cursor', async () => {
    const none = { from: '2020-01-01', to: '2020-02-01' };
    const [line, ...others] = linesOf(await get(none));
    expect([line, others]).toEqual([{ _cursor: expect.any(String) }, []]);
    expect(linesOf(await get({ ...none, after: line?._cursor as string }))).toEqual([line]);
    expect(linesOf(await get({ from: range.from, to: range.from }))).toEqual([line]);
  });

  it('as CSV has a row for each item', async () => {
    const other = await aRetailer({ timezone: 'Europe/Paris' });
    const receipt = aReceipt({
      transaction_id: `=${uniqueId()}`,
      identifier: '@jane',
      total: -5.5,
      items: [
        { name: '+Caf\u00e9, "large"', quantity: -1, total: -5.5, unit: '\tpiece', unit_price: 5.5 },
        { name: 'Plain', quantity: 2.5, total: 0 },
      ],
    });
    const { body } = await other.api.post('/receipts', receipt);
    const answer = await other.api.get('/receipts/export', { ...range, format: 'csv' });
    expect(answer.headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
    const [header, first, second, cursor] = rowsOf(answer);
    expect(header?.join()).toBe(
      'id,transaction_id,external_id,timestamp,localtime,store_reference,till_uuid,identifier,currency,total,net,duplicate,voided,' +
        'item_index,item_name,item_quantity,item_unit,item_unit_price,item_total,item_gtin,item_lot,item_serial',
    );
    const common = [
      body.id,
      `'${receipt['transaction_id'] as string}`,
      '',
      '2026-03-14T11:30:00+00:00',
      '2026-03-14T12:30:00+01:00',
      '1',
      '',
      "'@jane",
      'EUR',
      '-5.5',
      '',
      'false',
      'false',
    ];
    expect(first).toEqual([
      ...common,
      '0',
      '\'+Caf\u00e9, "large"',
      '-1',
      "'\tpiece",
      '5.5',
      '-5.5',
      '',
      '',
      '',
    ]);
    expect(second).toEqual([...common, '1', 'Plain', '2.5', '', '', '0', '', '', '']);
    expect(cursor).toEqual(['#cursor', expect.any(String), ...Array.from({ length: 20 }, () => '')]);
    const rest = await other.api.get('/receipts/export', {
      ...range,
      format: 'csv',
      after: cursor?.[1] as string,
    });
    expect(rowsOf(rest)).toEqual([header, cursor]);
    const accepted = await other.api.get('/receipts/export', range, { accept: 'text/csv' });
    expect(accepted.bytes).toEqual(answer.bytes);
  });
});

describe('an export is rejected', () => {
  it.each([
    ['without a range', {}, 400, 'invalid_parameter'],
    ['with an inverted range', { from: range.to, to: range.from }, 400, 'invalid_parameter'],
    ['of more than 366 days', { from: '2024-01-01', to: '2025-01-02' }, 400, 'invalid_parameter'],
    ['with a range that is not a time', { from: 'x', to: range.to }, 400, 'invalid_parameter'],
    ['in another format', { ...range, format: 'xml' }, 400, 'invalid_parameter'],
    ['with an unknown parameter', { ...range, part: '1' }, 400, 'invalid_parameter'],
    [
      'for too many stores',
      { ...range, store_reference: Array(21).fill('1').join() },
      400,
      'invalid_parameter',
    ],
    ['after an unknown cursor', { ...range, after: 'x' }, 400, 'unknown_cursor'],
    ['after a forged cursor', { ...range, after: 'AAAAAAABAAAAAAAA' }, 400, 'unknown_cursor'],
  ])('%s', async (_, query, status, code) => {
    const answer = await retailer.api.get('/receipts/export', query as Record<string, string>);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('after an altered cursor', async () => {
    const cursor = linesOf(await get()).find(({ _cursor }) => _cursor)?._cursor as string;
    expect(cursor).toHaveLength(40);
    for (const after of [
      `${cursor.slice(0, 30)}${cursor[30] === 'A' ? 'B' : 'A'}${cursor.slice(31)}`,
      `${cursor}A`,
    ]) {
      const answer = await retailer.api.get('/receipts/export', { ...range, after });
      expect([answer.status, answer.body.code]).toEqual([400, 'unknown_cursor']);
    }
  });

  it('after a cursor of another retailer', async () => {
    const after = linesOf(await get()).at(-1)?._cursor as string;
    const other = await aRetailer();
    const answer = await other.api.get('/receipts/export', { ...range, after });
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown_cursor']);
  });

  it('for callers that may see only some receipts', async () => {
    const signed = await retailer.signed({ consumer: 'jane' }).get('/receipts/export', range);
    expect([signed.status, signed.body.code]).toEqual([403, 'consumer_mismatch']);
    const settings = { consumer_required: true };
    const bound = await retailer.clientWith({ permissions: ['view.export_receipt'], settings });
    expect((await bound.get('/receipts/export', range)).body.code).toBe('consumer_mismatch');
    const other = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    const denied = await other.get('/receipts/export', range);
    expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied']);
  });
});

it('a leap year fits into the longest range', async () => {
  expect((await get({ from: '2024-01-01', to: '2025-01-01' })).status).toBe(200);
});
