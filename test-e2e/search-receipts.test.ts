import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

/** The receipts of the examples, by letter. */
const records: Record<string, Record<string, unknown>> = {
  A: {
    transaction_id: '0011120008',
    localtime: '2013-04-30T13:57:00Z',
    identifier: '990000000001',
    total: 10,
    items: [{ name: 'Cufflinks', quantity: 1, total: 10, properties: { product_code: 'CL-1' } }],
    payments: [{ method: 'cash', amount: 10, change: 0 }],
    store_reference: 1,
  },
  B: {
    transaction_id: '0011120008-duplicate-etxv',
    localtime: '2024-10-12T23:30:00Z',
    identifier: 'joe.smith@example.com',
    total: 35.5,
    items: [
      { name: 'Red cotton shirt', quantity: 2, unit: 'pcs', total: 30 },
      {
        name: 'Blue socks * sale',
        quantity: 1,
        total: 5.5,
        properties: { product_code: 'code', details: ['thick', 'wool'] },
        discounts: [{ name: 'Summer sale', quantity: 1, amount: 1 }],
      },
    ],
    payments: [{ method: 'card', amount: 35.5, number: '1234', details: { po_number: 'PO-7' } }],
    store_reference: 42,
    properties: { email: 'joe.smith@example.com', salesperson: 'Anna-Maria Öberg', operator: 'Till 7' },
    discounts: [{ name: 'Loyal', quantity: 2, amount: 1 }],
  },
  C: {
    transaction_id: 'T:77/9',
    localtime: '2024-10-16T00:00:00Z',
    total: -12.5,
    items: [
      {
        name: 'Shirt red',
        'name:de_AT': 'Rotes Hemd',
        quantity: -1,
        total: -12.5,
        return: { localtime: '2024-10-01T10:00:00Z', reason: 'too small' },
      },
    ],
    payments: [{ method: 'giftcard', amount: -12.5, details: { number: '77' } }],
    store_reference: 'ABC',
    properties: { email: 'jo+tag@mail.example.org' },
  },
  D: {
    transaction_id: '9',
    localtime: '2024-10-14T08:00:00Z',
    identifier: '1001',
    total: 15,
    items: [
      { name: 'Café crème', quantity: 0.5, unit: 'kg', total: 5 },
      { name: 'Apples', quantity: 3, total: 100 },
    ],
    payments: [],
    store_reference: 1,
  },
};

let retailer: TestRetailer;
const letters = new Map<string, string>();

beforeAll(async () => {
  retailer = await aRetailer({ dynamic_fields: { receipt: { season: 'exact' }, item: { size: 'integer' } } });
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  await retailer.api.post('/stores', { reference: 42, name: 'Two', country: 'FRA' });
  await retailer.api.post('/stores', {
    reference: 3,
    external_reference: 'ABC',
    name: 'Three',
    country: 'FRA',
  });
  for (const [letter, record] of Object.entries(records)) {
    const answer = await retailer.api.post('/receipts', record);
    expect([letter, answer.status]).toEqual([letter, 201]);
    letters.set(answer.body.id, letter);
  }
});

const search = (query: string, more: Record<string, string | number> = {}) =>
  retailer.api.get('/receipts/_search', { query, ...more });
const found = async (query: string): Promise<string> => {
  const answer = await search(query);
  if (answer.status !== 200) return `${answer.status} ${answer.body.description}`;
  expect(answer.body.hits).toBe(answer.body.receipts.length);
  expect(Number.isInteger(answer.body.time)).toBe(true);
  return (answer.body.receipts as { id: string }[])
    .map(({ id }) => letters.get(id) ?? '?')
    .sort()
    .join(' ');
};

describe('the examples of the language', () => {
  it.each([
    ['total:10', 'A'],
    ['total:10.0', 'A'],
    ['total:-12.5', 'C'],
    ['total:{10 TO 35.5]', 'B D'],
    ['items.total:[6 TO 29]', 'A'],
    ['timestamp:[2024-10-12 TO 2024-10-16}', 'B D'],
    ['timestamp:{2024-10-12 TO *]', 'C D'],
    ['timestamp:2013-04-30T14:57:00+01:00', 'A'],
    ['items.name:shirt', 'B C'],
    ['items.name:shir*', 'B C'],
    ['items.name:"red shirt"~1', 'B'],
    ['items.name:"red shirt"~2', 'B C'],
    ['items.name:(+red -cotton blue)', 'C'],
    ['items.name:shrit~', 'B C'],
    ['items.name:"*"', 'B'],
    ['items.name:*', 'A B C D'],
    ['+items.name:red -items.return:*', 'B'],
    ['identifier:joe.smith@exa', 'B'],
    ['identifier:smi', 'B'],
    ['payments.method:Card', ''],
    ['items.name:red +total:[30 TO *]', 'B'],
    ['items.name:red total:10', 'A B C'],
  ])('%s finds %s', async (query, expected) => expect(await found(query)).toBe(expected));

  it.each([
    ['total:abc', 'total expects a number'],
    ['items.quantity:0.5', 'items.quantity expects an integer'],
    ['payments:cash', 'payments only supports existence tests'],
    ['foo:bar', 'foo is not a valid field'],
    ['foo', 'a field (path:value) is expected'],
  ])('returns 400 for %s: %s', async (query, message) => {
    const answer = await search(query);
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      400,
      'invalid_query',
      'bad request',
    ]);
    expect(answer.body.description).toContain('invalid query: ');
    expect(answer.body.description).toContain(message);
  });

  it('names an unknown field as the interface requires', async () => {
    expect((await search('foo.bar:1')).body.description).toBe('invalid query: foo.bar is not a valid field');
  });
});

describe('every field of the table', () => {
  it.each([
    ['transaction_id:0011120008', 'A B'],
    ['transaction_id:etxv', 'B'],
    ['transaction_id:"T:77/9"', 'C'],
    ['timestamp:2024', 'B C D'],
    ['timestamp:2024-10-14', 'D'],
    ['items.quantity:3', 'D'],
    ['items.quantity:[2 TO 5]', 'B D'],
    ['items.quantity:*', 'A B C D'],
    ['items.quantity.decimal:0.5', 'D'],
    ['items.quantity.decimal:[0.1 TO 0.9]', 'D'],
    ['items.unit:kg', 'D'],
    ['items.unit:Kg', ''],
    ['items.unit:*', 'B D'],
    ['items.discounts:*', 'B'],
    ['-items.discounts:*', 'A C D'],
    ['items.discounts.name:summer', 'B'],
    ['items.discounts.quantity:1', 'B'],
    ['items.discounts.amount:1', 'B'],
    ['items.discounts_length:1', 'B'],
    ['items.discounts_length:0', 'A B C D'],
    ['items.discounts_quantity:1', 'B'],
    ['items.return:*', 'C'],
    ['items.return.localtime:2024-10-01', 'C'],
    ['items.return.reason:"too small"', 'C'],
    ['items.return.reason:*', 'C'],
    ['items.properties:*', 'A B'],
    ['items.properties.details:wool', 'B'],
    ['items.properties.product_code:CL-1', 'A'],
    ['items.properties.product_code:cl-1', ''],
    ['items_length:2', 'B D'],
    ['discounts:*', 'B'],
    ['discounts.name:loyal', 'B'],
    ['discounts.quantity:2', 'B'],
    ['discounts.amount:[0.5 TO 1.5]', 'B'],
    ['discounts_length:1', 'B'],
    ['discounts_quantity:2', 'B'],
    ['payments:*', 'A B C'],
    ['-payments:*', 'D'],
    ['payments.change:0', 'A'],
    ['payments.number:1234', 'B'],
    ['payments.number:77', 'C'],
    ['payments.method:card', 'B'],
    ['payments.po_number:PO-7', 'B'],
    ['payments_length:0', 'D'],
    ['store_reference:42', 'B'],
    ['store_reference:[1 TO 3]', 'A C D'],
    ['external_store_reference:ABC', 'C'],
    ['properties:*', 'B C'],
    ['properties.email:joe', 'B'],
    ['properties.email:exam', 'B C'],
    ['properties.email.exact:joe.smith@example.com', 'B'],
    ['properties.email.exact:jo+tag@mail.example.org', 'C'],
    ['properties.operator:"Till 7"', 'B'],
    ['properties.salesperson:oberg', 'B'],
    ['properties.salesperson:"anna maria"', 'B'],
    ['identifier.exact:1001', 'D'],
    ['identifier.exact:100', ''],
    ['identifier:*', 'A B D'],
    ['items.name:hemd', 'C'],
    ['items.name:creme', 'D'],
    ['items.name:CAFÉ', 'D'],
    ['pos_data_ids:*', ''],
    ['total:>=15', 'B D'],
    ['total:<0', 'C'],
  ])('%s finds "%s"', async (query, expected) => expect(await found(query)).toBe(expected));
});

describe('rare and missing values', () => {
  it.each([
    ['items.quantity:7', ''],
    ['items.quantity:[* TO 0]', 'C'],
    ['items.quantity.decimal:0.25', ''],
    ['items.quantity.decimal:{0 TO 1}', 'D'],
    ['items.unit:barrel', ''],
    ['-items.unit:*', 'A C'],
    ['items.discounts.quantity:9', ''],
    ['items.discounts_length:1', 'B'],
    ['items.discounts_length:5', ''],
    ['items.discounts_length:0', 'A B C D'],
    ['items.discounts_quantity:[1 TO 3]', 'B'],
    ['items.discounts_quantity:9', ''],
    ['items_length:2', 'B D'],
    ['items_length:9', ''],
    ['discounts.quantity:2', 'B'],
    ['discounts.quantity:9', ''],
    ['discounts_length:[1 TO *]', 'B'],
    ['discounts_length:3', ''],
    ['discounts_quantity:2', 'B'],
    ['discounts_quantity:7', ''],
    ['payments.change:0', 'A'],
    ['payments.change:9', ''],
    ['-payments.change:*', 'B C D'],
    ['payments_length:0', 'D'],
    ['payments_length:9', ''],
    ['dynamic:*', ''],
    ['-dynamic:*', 'A B C D'],
    ['-items.name:*', ''],
    ['-payments:*', 'D'],
    ['items.return.localtime:1999', ''],
    ['items.name:"☃"', ''],
    ['identifier:"☃"', ''],
    ['identifier:"@"', 'B'],
    ['transaction_id:"☃"', ''],
    ['transaction_id:"/"', 'C'],
    ['transaction_id:"-"', 'B'],
    ['properties.email:"+"', 'C'],
    ['store_id:987654', ''],
    ['+items.quantity:7 +total:[0 TO 100000]', ''],
    ['+payments.change:9 +store_reference:1', ''],
  ])('%s finds "%s"', async (query, expected) => {
    expect(await found(query)).toBe(expected);
    expect((await search(query)).body.hits_relation).toBe('eq');
  });
});

describe('boolean meaning', () => {
  it.each([
    ['items.name:apples items.name:cufflinks', 'A D'],
    ['items.name:red AND items.name:cotton', 'B'],
    ['items.name:red && items.name:cotton', 'B'],
    ['items.name:red OR items.name:apples', 'B C D'],
    ['items.name:red || items.name:apples', 'B C D'],
    ['NOT items.name:red', 'A D'],
    ['!items.name:red', 'A D'],
    ['-items.name:red -items.name:apples', 'A'],
    ['+total:* -identifier:*', 'C'],
    ['items.name:("red cotton" apples)', 'B D'],
    ['items.name:(red AND (cotton OR hemd))', 'B C'],
    ['items.name:shirt items.total:5.5', 'B C'],
  ])('%s finds "%s"', async (query, expected) => expect(await found(query)).toBe(expected));

  it('returns the records that meet the largest number of plain conditions first, then the newest', async () => {
    const answer = await search('items.name:red items.name:cotton items.name:apples');
    const order = (answer.body.receipts as { id: string }[]).map(({ id }) => letters.get(id));
    expect(order).toEqual(['B', 'D', 'C']);
  });

  it('returns the newest first if there is nothing to rank', async () => {
    const order = ((await search('total:*')).body.receipts as { id: string }[]).map(({ id }) =>
      letters.get(id),
    );
    expect(order).toEqual(['D', 'C', 'B', 'A']);
  });

  it('supports "and" as a retailer\'s default operator', async () => {
    const strict = await aRetailer({ search_default_operator: 'and' });
    await strict.api.post('/receipts', records['B']);
    const hits = async (query: string) => (await strict.api.get('/receipts/_search', { query })).body.hits;
    expect(await hits('items.name:red items.name:apples')).toBe(0);
    expect(await hits('items.name:red items.name:cotton')).toBe(1);
    expect(await hits('items.name:red OR items.name:apples')).toBe(1);
  });
});

describe('paging', () => {
  it('returns each hit once when paging by count and offset', async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < 4; offset += 2) {
      const answer = await search('total:*', { count: 2, offset });
      expect(answer.body.hits).toBe(4);
      seen.push(...(answer.body.receipts as { id: string }[]).map(({ id }) => letters.get(id) ?? '?'));
    }
    expect(seen).toEqual(['D', 'C', 'B', 'A']);
    expect((await search('total:*', { offset: 1000 })).body).toMatchObject({ hits: 4, receipts: [] });
  });

  it('returns 0 hits and an empty array if nothing matches', async () => {
    expect((await search('items.name:nothing')).body).toMatchObject({ hits: 0, receipts: [] });
  });

  it.each<[string, Record<string, string | number>]>([
    ['count 0', { count: 0 }],
    ['count 21', { count: 21 }],
    ['offset 1001', { offset: 1001 }],
    ['a negative offset', { offset: -1 }],
    ['an unknown parameter', { sort: 'total' }],
  ])('returns 400 for %s', async (_what, more) => expect((await search('total:*', more)).status).toBe(400));

  it('requires the query', async () => {
    expect((await retailer.api.get('/receipts/_search')).status).toBe(400);
    expect((await search('')).status).toBe(400);
    expect((await search('   ')).status).toBe(400);
  });
});

describe('consumer', () => {
  it('restricts the search', async () => {
    const answer = await search('total:*', { consumer: '1001,990000000001' });
    expect((answer.body.receipts as { id: string }[]).map(({ id }) => letters.get(id))).toEqual(['D', 'A']);
  });

  it.each(['identifier:joe', 'identifier.exact:1001', 'items.name:red -identifier:*'])(
    'returns 400 if it is combined with %s',
    async (query) => {
      const answer = await search(query, { consumer: '1001' });
      expect([answer.status, answer.body.description]).toEqual([
        400,
        'invalid query: identifier can not be used together with consumer',
      ]);
    },
  );

  it('also restricts the search as part of a signature', async () => {
    const answer = await retailer.signed({ consumer: '1001' }).get('/receipts/_search', { query: 'total:*' });
    expect((answer.body.receipts as { id: string }[]).map(({ id }) => letters.get(id))).toEqual(['D']);
  });

  it('returns 400 for six consumers, and for none if the client requires one', async () => {
    expect((await search('total:*', { consumer: '1,2,3,4,5,6' })).status).toBe(400);
    const client = await retailer.clientWith({
      permissions: ['view.*'],
      settings: { consumer_required: true },
    });
    expect((await client.get('/receipts/_search', { query: 'total:*' })).status).toBe(400);
  });
});

describe('dynamic fields', () => {
  it('are searched as configured by the retailer', async () => {
    const answer = await retailer.api.post(
      '/receipts',
      aReceipt({
        total: 77,
        dynamic: { season: 'summer' },
        items: [{ name: 'x', quantity: 1, total: 77, dynamic: { size: 44 } }],
      }),
    );
    const hits = async (query: string) =>
      ((await search(query)).body.receipts as { id: string }[]).map(({ id }) => id);
    expect(await hits('dynamic.season:summer')).toEqual([answer.body.id]);
    expect(await hits('items.dynamic.size:[40 TO 50]')).toEqual([answer.body.id]);
    expect(await hits('items.dynamic:*')).toEqual([answer.body.id]);
    expect((await search('dynamic.colour:red')).body.description).toBe(
      'invalid query: dynamic.colour is not a valid field',
    );
  });
});

describe('hostile queries', () => {
  it.each([
    ['ten thousand brackets', '('.repeat(10_000)],
    ['two thousand brackets', `items.name:${'('.repeat(2_000)}`],
    ['a large number of clauses', 'total:1 '.repeat(500)],
    ['65 conditions', 'total:1 '.repeat(65)],
    ['depth 5', 'items.name:(((((a)))))'],
    ['any field', '*:*'],
    ['a leading wildcard', 'items.name:*x'],
    ['a question mark', 'items.name:sh?rt'],
    ['a boost', 'items.name:red^2'],
    ['an open range', 'total:[* TO'],
    ['an open phrase', 'items.name:"red'],
    ['an open group', 'items.name:(red'],
    ['a closing bracket', 'items.name:red)'],
    ['a single plus', '+'],
    ['a single AND', 'AND'],
    ['AND at the end', 'total:1 AND'],
    ['a prototype', '__proto__:1'],
    ['a space before the colon', 'total :1'],
  ])('returns 400 with a position for %s', async (_what, query) => {
    const answer = await search(query);
    expect([400, 414]).toContain(answer.status);
    if (answer.status === 400) expect(answer.body.description).toMatch(/^invalid query: /);
  });

  it.each([
    'items.name:((a+)+)$',
    'items.name:.*',
    'items.name:"[a-z]+"',
    'identifier:$ne',
    'identifier:{"$gt":""}',
  ])('never treats %s as a regular expression or an operator', async (query) => {
    const answer = await search(query);
    if (answer.status === 200) expect(answer.body.hits).toBe(0);
    else expect(answer.status).toBe(400);
  });

  it('explains the tree and the matches in each hit', async () => {
    const answer = await search('items.name:red total:35.5', { explain: 'true' });
    expect(answer.status).toBe(200);
    expect(answer.body.explain).toBeDefined();
    expect(JSON.stringify(answer.body.explain)).toContain('items.name');
  });
});

it('finds a patched receipt by its current values', async () => {
  const posted = await retailer.api.post(
    '/receipts',
    aReceipt({ total: 4711, identifier: 'before@example.com' }),
  );
  await retailer.api.patch(`/receipts/${posted.body.id}`, [
    { op: 'replace', path: '/identifier', value: 'after@example.com' },
  ]);
  expect((await search('identifier.exact:after@example.com')).body.hits).toBe(1);
  expect((await search('identifier.exact:before@example.com')).body.hits).toBe(0);
});

it("never finds another retailer's receipts", async () => {
  const other = await aRetailer();
  expect((await other.api.get('/receipts/_search', { query: 'total:*' })).body).toMatchObject({
    hits: 0,
    hits_relation: 'eq',
    receipts: [],
  });
});
