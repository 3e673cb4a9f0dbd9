import { createHash, randomUUID } from 'node:crypto';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Paris', currency: 'EUR' });
  const store = {
    reference: 1,
    external_reference: 'ABC',
    name: 'Rue de Rivoli',
    address: ['1 Rue de Rivoli', 'Escalier B'],
    city: 'Paris',
    postcode: '75001',
    country: 'FRA',
    phone: '+33 1 23 45 67 89',
    timezone: 'America/New_York',
    currency: 'USD',
    locale: 'en_US',
    properties: { floor: 2 },
  };
  expect((await retailer.api.post('/stores', store)).status).toBe(201);
  expect((await retailer.api.post('/stores', { reference: 42, name: 'Bare', country: 'GBR' })).status).toBe(
    201,
  );
});

const post = (overrides: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  retailer.api.post('/receipts', aReceipt(overrides), headers);
const postAndGet = async (overrides: Record<string, unknown> = {}) => {
  const created = await post(overrides);
  expect([created.status, created.body]).toEqual([201, { id: expect.stringMatching(/^[0-9a-f]{24}$/) }]);
  return (await retailer.api.get(`/receipts/${created.body.id}`)).body;
};

describe('an accepted receipt', () => {
  it('is confirmed with 201, its id and its Location', async () => {
    const answer = await post();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(answer.headers.location).toBe(`/receipts/${answer.body.id}`);
    expect((await retailer.api.get(answer.headers.location as string)).status).toBe(200);
  });

  it('is returned with every documented key, and missing values as null, [] or {}', async () => {
    const receipt = await postAndGet({ items: [{ name: 'A', quantity: 1, total: 1 }], payments: undefined });
    expect(receipt).toMatchObject({
      identifier: null,
      incomplete: false,
      net: null,
      subtotal: null,
      gross: null,
      payments: [],
      discounts: [],
      taxes: [],
      vat: [],
      pos_data_ids: [],
      properties: {},
      attachments: {},
      external_id: null,
      till_uuid: null,
      duplicate: false,
      retailer: { name: expect.any(String), vatno: null },
      store: {
        name: 'Rue de Rivoli',
        address: ['1 Rue de Rivoli', 'Escalier B'],
        city: 'Paris',
        postcode: '75001',
        country: 'FRA',
        phone: '+33 1 23 45 67 89',
        properties: { floor: 2 },
      },
      store_reference: '1',
    });
    expect(receipt.items[0]).toMatchObject({
      name: 'A',
      quantity: 1,
      total: 1,
      net: null,
      unit: null,
      discounts: [],
      taxes: [],
      vat: null,
      return: null,
      properties: {},
    });
  });

  it('has the values that were posted, neither derived nor rounded', async () => {
    const posted = {
      total: 0.1 + 0.2,
      net: -12.345678,
      subtotal: 1e-7,
      gross: 9007199254740991,
      incomplete: true,
      items: [
        {
          name: 'Rotes Hemd',
          'name:de_AT': 'Rotes Leiberl',
          'name:zh_Hant_TW': '紅襯衫',
          quantity: -1.25,
          unit: 'kg',
          total: -5,
          net: -4,
          gross: -5,
          unit_price: 4,
          gross_unit_price: 4,
          net_unit_price: 3.2,
          vat: { rate: 20, amount: -1 },
          taxes: [{ name: 'vat_20', rate: 20, amount: -1, code: 'A', properties: { a: [1, null] } }],
          discounts: [{ name: 'Sale', quantity: null, amount: -0.5, percentage: 10, properties: {} }],
          return: { localtime: '2026-03-01T10:00:00+01:00', reason: 'too small', properties: { x: 1 } },
          properties: { details: ['a', 'b'], product_code: 'CL-1', 'odd.key$': { $set: 1 } },
          dynamic: { season: 'summer' },
        },
      ],
      payments: [
        { method: 'card', amount: 5, number: '1234', type: 'visa', issue: '1' },
        { method: 'cash', amount: 5, details: { change: 0.5, rounding: 0.01 } },
        { method: 'giftcard', amount: 1, details: { number: '99', balance: 4 }, currency: 'EUR' },
      ],
      vat: [{ rate: 20, amount: 3.33, code: 'A' }],
      taxes: [{ name: 'vat_20', rate: null, amount: 3.33 }],
      discounts: [{ name: 'Loyal', quantity: 1, amount: 2 }],
      properties: {
        email: 'a@b.example',
        email_settings: { send: false },
        free: { $where: 'x', 'a.b': null },
      },
    };
    const receipt = await postAndGet(posted);
    for (const [key, value] of Object.entries(posted)) {
      if (key !== 'items') expect([key, receipt[key]]).toMatchObject([key, value]);
    }
    expect(receipt.items[0]).toMatchObject(posted.items[0] as object);
  });

  it.each([
    ['an integer', 42, '42', 'Bare'],
    ['digits', '42', '42', 'Bare'],
    ['digits with leading zeros', '0042', '42', 'Bare'],
    ['an external reference', 'ABC', 'ABC', 'Rue de Rivoli'],
  ])('can refer to its store by %s', async (_what, store_reference, returned, name) => {
    const receipt = await postAndGet({ store_reference });
    expect(receipt.store.name).toBe(name);
    expect([returned, String(store_reference)]).toContain(receipt.store_reference);
    expect(typeof receipt.store_reference).toBe('string');
  });

  it('is stored with an empty store summary if the store is unknown', async () => {
    const receipt = await postAndGet({ store_reference: 'nowhere' });
    expect(receipt.store).toEqual({
      name: null,
      address: [],
      city: null,
      postcode: null,
      country: null,
      phone: null,
      vatno: null,
      company: null,
      properties: {},
    });
  });

  it('has its external id in lower case', async () => {
    const external_id = randomUUID().toUpperCase();
    expect((await postAndGet({ external_id })).external_id).toBe(external_id.toLowerCase());
  });

  it('takes missing l10n from the store, then from the retailer', async () => {
    expect((await postAndGet({ store_reference: 1 })).l10n).toMatchObject({
      locale: 'en_US',
      timezone: 'America/New_York',
      currency: 'USD',
    });
    expect((await postAndGet({ store_reference: 42 })).l10n).toMatchObject({
      timezone: 'Europe/Paris',
      currency: 'EUR',
    });
    expect((await postAndGet({ l10n: { currency: 'CHF', locale: 'de_CH' } })).l10n).toMatchObject({
      currency: 'CHF',
      locale: 'de_CH',
      timezone: 'America/New_York',
    });
  });
});

describe('times', () => {
  it.each([
    [
      'an explicit offset',
      { localtime: '2026-07-01T12:00:00+05:30' },
      '2026-07-01T12:00:00+05:30',
      '2026-07-01T06:30:00+00:00',
    ],
    [
      'Z, which the time zone of the store replaces',
      { localtime: '2026-07-01T12:00:00Z' },
      '2026-07-01T08:00:00-04:00',
      '2026-07-01T12:00:00+00:00',
    ],
    [
      'Z, which the time zone of l10n replaces',
      { localtime: '2026-07-01T22:00:00Z', l10n: { timezone: 'Asia/Tokyo' } },
      '2026-07-02T07:00:00+09:00',
      '2026-07-01T22:00:00+00:00',
    ],
    [
      '+00:00, which is kept',
      { localtime: '2026-07-01T12:00:00+00:00' },
      '2026-07-01T12:00:00+00:00',
      '2026-07-01T12:00:00+00:00',
    ],
    [
      'the time zone of l10n',
      { localtime: '2026-07-01T12:00:00', l10n: { timezone: 'Asia/Tokyo' } },
      '2026-07-01T12:00:00+09:00',
      '2026-07-01T03:00:00+00:00',
    ],
    [
      'the time zone of the store',
      { localtime: '2026-07-01T12:00:00' },
      '2026-07-01T12:00:00-04:00',
      '2026-07-01T16:00:00+00:00',
    ],
    [
      'the time zone of the retailer',
      { localtime: '2026-07-01T12:00:00', store_reference: 42 },
      '2026-07-01T12:00:00+02:00',
      '2026-07-01T10:00:00+00:00',
    ],
    [
      'a DST gap, which is moved forward',
      { localtime: '2026-03-29T02:30:00', store_reference: 42 },
      '2026-03-29T03:30:00+02:00',
      '2026-03-29T01:30:00+00:00',
    ],
    [
      'an ambiguous time, which gets the earlier offset',
      { localtime: '2026-10-25T02:30:00', store_reference: 42 },
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T00:30:00+00:00',
    ],
  ])('with %s', async (_what, overrides, localtime, timestamp) => {
    const receipt = await postAndGet(overrides);
    expect([receipt.localtime, receipt.timestamp]).toEqual([localtime, timestamp]);
  });
});

describe('duplicates', () => {
  it('returns 409 with the id of the existing receipt for an existing transaction id', async () => {
    const transaction_id = uniqueId();
    const first = await post({ transaction_id });
    const second = await post({ transaction_id, total: 1 });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({
      status: 'conflict',
      code: 'duplicate_transaction_id',
      id: first.body.id,
    });
  });

  it('stores one of fifty concurrent receipts and returns its id to the others', async () => {
    const transaction_id = uniqueId();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ transaction_id })));
    const stored = answers.filter(({ status }) => status === 201);
    expect(stored).toHaveLength(1);
    expect(
      answers.filter(({ status, body }) => status === 409 && body.id === stored[0]?.body.id),
    ).toHaveLength(49);
  });

  it('returns 409 for an existing external id, even with the duplicate flag', async () => {
    const external_id = randomUUID();
    const first = await post({ external_id });
    for (const duplicate of [false, true]) {
      const again = await post({ external_id: external_id.toUpperCase(), duplicate });
      expect(again.status).toBe(409);
      expect(again.body).toMatchObject({ code: 'duplicate_external_id', id: first.body.id });
    }
  });

  it('stores the receipt under a new transaction id if the duplicate flag is set', async () => {
    const transaction_id = uniqueId();
    await post({ transaction_id });
    const receipt = await postAndGet({ transaction_id, duplicate: true });
    expect(receipt.duplicate).toBe(true);
    expect(receipt.transaction_id).toMatch(new RegExp(`^${transaction_id}-duplicate-[a-z]{4}$`));
  });

  it('accepts the same transaction id from another retailer', async () => {
    const other = await aRetailer();
    const transaction_id = uniqueId();
    expect((await post({ transaction_id })).status).toBe(201);
    expect((await other.api.post('/receipts', aReceipt({ transaction_id }))).status).toBe(201);
  });
});

describe('Idempotency-Key', () => {
  it('repeats the original response for a retry with the same body', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const body = aReceipt();
    const first = await retailer.api.post('/receipts', body, headers);
    const again = await retailer.api.post('/receipts', body, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.location).toBe(first.headers.location);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
  });

  it('returns 409 for another body', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    expect((await post({}, headers)).status).toBe(201);
    const other = await post({}, headers);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });

  it('does not store a failure', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const body = aReceipt();
    expect((await retailer.api.post('/receipts', { ...body, total: 'x' }, headers)).status).toBe(422);
    expect((await retailer.api.post('/receipts', body, headers)).status).toBe(201);
  });

  it.each([['x'.repeat(256)], ['']])('must have 1 to 255 characters', async (key) => {
    expect((await post({}, { 'idempotency-key': key })).status).toBe(400);
  });

  it('returns the same receipt for twenty concurrent requests', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const body = aReceipt();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => retailer.api.post('/receipts', body, headers)),
    );
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body: answer }) => answer.id));
    expect(ids.size).toBe(1);
    for (const { status } of answers) expect([201, 503]).toContain(status);
  });
});

describe('the store in the body', () => {
  it('is rejected with 422 while stores from receipts are disabled', async () => {
    const answer = await post({ store: { name: 'New', country: 'FRA' } });
    expect(answer.status).toBe(422);
    expect(answer.body.description).toBe('store can not be set or updated from receipt');
  });

  it('must exist if stores.require_known is set', async () => {
    const strict = await aRetailer({ stores: { require_known: true } });
    const answer = await strict.api.post('/receipts', aReceipt({ store_reference: 7 }));
    expect([answer.status, answer.body.code]).toEqual([422, 'store_not_found']);
    await strict.api.post('/stores', { reference: 7, name: 'Seven', country: 'FRA' });
    expect((await strict.api.post('/receipts', aReceipt({ store_reference: 7 }))).status).toBe(201);
  });
});

describe('returns 422 with every error for a body that violates the schema', () => {
  const item = { name: 'A', quantity: 1, total: 1 };
  const cases: [string, Record<string, unknown>, string[]][] = [
    ['no items', { items: undefined }, ['/items']],
    ['empty items', { items: [] }, ['/items']],
    ['no transaction id', { transaction_id: undefined }, ['/transaction_id']],
    ['no localtime', { localtime: undefined }, ['/localtime']],
    ['no total', { total: undefined }, ['/total']],
    ['no store reference', { store_reference: undefined }, ['/store_reference']],
    ['a total that is a string', { total: '1' }, ['/total']],
    ['a total that is null', { total: null }, ['/total']],
    ['an unknown key', { colour: 'red' }, ['/colour']],
    ['an unknown key of an item', { items: [{ ...item, colour: 'red' }] }, ['/items/0/colour']],
    [
      'an alternative that is not a language tag',
      { items: [{ ...item, 'name:xx_yy': 'x' }] },
      ['/items/0/name:xx_yy'],
    ],
    ['de_at', { items: [{ ...item, 'name:de_at': 'x' }] }, ['/items/0/name:de_at']],
    ['DE_AT', { items: [{ ...item, 'name:DE_AT': 'x' }] }, ['/items/0/name:DE_AT']],
    ['en-GB', { items: [{ ...item, 'name:en-GB': 'x' }] }, ['/items/0/name:en-GB']],
    ['en_', { items: [{ ...item, 'name:en_': 'x' }] }, ['/items/0/name:en_']],
    ['x_private', { items: [{ ...item, 'name:x_private': 'x' }] }, ['/items/0/name:x_private']],
    ['an alternative of another field', { items: [{ ...item, 'unit:fr': 'x' }] }, ['/items/0/unit:fr']],
    ['an alternative at the top', { 'transaction_id:fr': 'x' }, ['/transaction_id:fr']],
    ['an impossible date', { localtime: '2024-02-30T10:00:00' }, ['/localtime']],
    ['an impossible time', { localtime: '2024-02-28T25:61:00' }, ['/localtime']],
    ['a date without a time', { localtime: '2024-02-28' }, ['/localtime']],
    ['an impossible offset', { localtime: '2024-02-28T10:00:00+99:99' }, ['/localtime']],
    ['a far year', { localtime: '+275760-01-01T00:00:00Z' }, ['/localtime']],
    ['a payment without method', { payments: [{ amount: 1 }] }, ['/payments/0/method']],
    ['a payment without amount', { payments: [{ method: 'cash' }] }, ['/payments/0/amount']],
    ['a discount without amount', { discounts: [{ name: 'x' }] }, ['/discounts/0/amount']],
    ['a tax name in capitals', { taxes: [{ name: 'VAT', amount: 1 }] }, ['/taxes/0/name']],
    ['an external id that is not a UUID', { external_id: 'x' }, ['/external_id']],
    [
      'an external id of version 1',
      { external_id: '5f0c2f1e-8a44-11ee-b9d1-0242ac120002' },
      ['/external_id'],
    ],
    ['an unknown time zone', { l10n: { timezone: 'Mars/Olympus' } }, ['/l10n/timezone']],
    ['an unknown currency', { l10n: { currency: 'XXQ' } }, ['/l10n/currency']],
    ['a label with a blank', { attachments: { 'a b': { id: 'x' } } }, ['/attachments/a b']],
    ['an attachment with neither id nor data', { attachments: { a: {} } }, ['/attachments/a']],
    ['an attachment with both', { attachments: { a: { id: 'x', data: 'eA==' } } }, ['/attachments/a']],
    ['data that is not base64', { attachments: { a: { data: '%%%' } } }, ['/attachments/a/data']],
    ['properties that are an array', { properties: [] }, ['/properties']],
    [
      'a return without its time',
      { items: [{ ...item, return: { reason: 'x' } }] },
      ['/items/0/return/localtime'],
    ],
    ['negative zero of something', { items: [{ ...item, quantity: -0 }] }, []],
    ['a boolean that is a string', { incomplete: 'false' }, ['/incomplete']],
    ['a huge integer', { total: 2 ** 60 }, ['/total']],
    [
      'several at once',
      { total: 'x', items: [{ name: 1, quantity: 'x' }], foo: 1 },
      ['/total', '/items/0/name', '/items/0/quantity', '/items/0/total', '/foo'],
    ],
  ];

  it.each(cases)('%s', async (_what, overrides, paths) => {
    const answer = await post(overrides);
    if (paths.length === 0) {
      // JSON.stringify writes negative zero as 0, so the request does not contain it.
      expect(answer.status).toBe(201);
      return;
    }
    expect([answer.status, answer.body.status]).toEqual([422, 'unprocessable entity']);
    expect(answer.body.code).toBe('schema_validation_failed');
    expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([...paths].sort());
    for (const error of answer.body.errors)
      expect(error).toEqual({
        path: expect.any(String),
        code: expect.any(String),
        message: expect.any(String),
      });
  });

  it('a card number of more than four digits', async () => {
    for (const payment of [
      { method: 'card', amount: 1, number: '12345' },
      { method: 'card', amount: 1, details: { number: '4539578763621486' } },
      { method: 'Kreditkarte', amount: 1, number: '12345' },
      { method: 'other', amount: 1, type: 'VISA', number: '12345' },
      { method: 'other', amount: 1, details: { number: '4539 5787 6362 1486' } },
    ]) {
      const answer = await post({ payments: [payment] });
      expect([answer.status, answer.body.code]).toEqual([422, 'card_number_too_long']);
      expect(answer.bytes.toString()).not.toContain('4539578763621486');
    }
  });

  it('inline attachments of more than 1 MiB in total', async () => {
    const data = Buffer.alloc(600 * 1024).toString('base64');
    expect((await post({ attachments: { a: { data }, b: { data } } })).status).toBe(422);
  });

  it.each(['__proto__', 'constructor', 'toString'])('the key %s in a typed object', async (key) => {
    const body = JSON.stringify(aReceipt()).replace(/}$/, `,"${key}":{"polluted":true}}`);
    const answer = await retailer.api.call('/receipts', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: `/${key}` })]);
  });

  it('1e400, which is not a finite number', async () => {
    for (const body of [
      JSON.stringify(aReceipt()).replace('"total":25.48', '"total":1e400'),
      JSON.stringify(aReceipt({ properties: { n: 'N' } })).replace('"N"', '-1e999'),
    ]) {
      const answer = await retailer.api.call('/receipts', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(422);
    }
  });
});

describe('a body that does not match its type', () => {
  const send = (body: string | Buffer, headers: Record<string, string>) =>
    retailer.api.call('/receipts', { method: 'POST', body, headers });

  it.each([
    ['broken JSON', '{"a":', 400, 'malformed_body'],
    ['nothing', '', 400, 'malformed_body'],
    ['two documents', '{} {}', 400, 'malformed_body'],
    ['NaN', '{"total": NaN}', 400, 'malformed_body'],
    ['deep nesting', `${'['.repeat(400_000)}`, 400, 'malformed_body'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, 400, 'malformed_body'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'malformed_body'],
    ['an array', '[]', 422, 'schema_validation_failed'],
    ['null', 'null', 422, 'schema_validation_failed'],
    ['a string', '"x"', 422, 'schema_validation_failed'],
  ])('%s', async (_what, body, status, code) => {
    const answer = await send(body, { 'content-type': 'application/json' });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'application/json-patch+json',
  ])('returns 415 for the type %s', async (type) => {
    const answer = await send(JSON.stringify(aReceipt()), { 'content-type': type });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('returns 415 for a missing type', async () => {
    expect((await send(JSON.stringify(aReceipt()), {})).status).toBe(415);
  });

  it('accepts charset utf-8 in any spelling', async () => {
    expect(
      (await send(JSON.stringify(aReceipt()), { 'content-type': 'application/json; charset="UTF-8"' }))
        .status,
    ).toBe(201);
  });

  it('returns 413 for more than 2 MiB', async () => {
    const answer = await send(JSON.stringify(aReceipt({ properties: { x: 'x'.repeat(2 ** 21) } })), {
      'content-type': 'application/json',
    });
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
  });
});

describe('large and unusual texts', () => {
  it('returns a receipt of 1.9 MiB unchanged', async () => {
    const text = 'ü'.repeat(950_000);
    const receipt = await postAndGet({ properties: { text } });
    const hash = (value: string) => createHash('sha256').update(value).digest('hex');
    expect(hash(receipt.properties.text)).toBe(hash(text));
  });

  it('treats control characters, emoji and bidi overrides as data', async () => {
    const name = '\u0000\u202e<script>alert(1)</script>🛒';
    expect((await postAndGet({ items: [{ name, quantity: 1, total: 1 }] })).items[0].name).toBe(name);
  });

  it('treats custom keys with dots, dollar signs and __proto__ as data', async () => {
    const body = JSON.stringify(aReceipt({ transaction_id: uniqueId() })).replace(
      /}$/,
      ',"properties":{"a.b":1,"$where":2,"__proto__":{"x":3},"constructor":4}}',
    );
    const headers = { 'content-type': 'application/json' };
    const created = await retailer.api.call('/receipts', { method: 'POST', body, headers });
    expect(created.status).toBe(201);
    const text = (await retailer.api.get(`/receipts/${created.body.id}`)).bytes.toString();
    expect(text).toContain('"a.b":1');
    expect(text).toContain('"$where":2');
    expect(text).toContain('"__proto__":{"x":3}');
  });
});

describe('response_links', () => {
  it('adds no links while the receipt is not rendered', async () => {
    const linked = await aRetailer({ response_links: true });
    const answer = await linked.api.post('/receipts', aReceipt());
    expect(answer.status).toBe(201);
    expect(answer.body.id).toEqual(expect.any(String));
  });
});
