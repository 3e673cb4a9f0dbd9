import type { dryRunMapping as contract, PostedMapping } from '@receipts/contracts';
import { newId, type Input } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { base64, jsonMapping, sales } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

type Body = Input<typeof contract>['body'];

const dryRun = async (body: Body, changes = {}) => (await world.ask('dryRunMapping', { body }, changes)).body;
const input_base64 = base64(sales('K'));

const slip: PostedMapping = {
  id: 'dry',
  decode: { type: 'text' },
  extract: {
    fields: { number: { line: '^No (\\d+)' } },
    tables: { items: { row: '^(?<name>[a-zA-Z]{3,}) (?<amount>[\\d.]+)$' } },
  },
  transform: {
    language: 'jsonata',
    expression:
      '{ "transaction_id": fields.number, "total": $sum(tables.items.$number(amount)), "note": props.n }',
  },
};

test('shows the input of the expression and every fault', async () => {
  const shown = await dryRun({
    mapping: slip,
    input_base64: base64('No 12\nShirt 5.50\nSocks 2\n'),
    content_type: 'text/plain',
    properties: { n: '1' },
    metadata: { store_reference: 7 },
  });
  expect(shown.receipts).toMatchObject([{ transaction_id: '12', total: 7.5, store_reference: '7' }]);
  expect(shown.errors.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/0/items', '/0/localtime', '/0/note']),
  );
  const items = [
    { name: 'Shirt', amount: '5.50' },
    { name: 'Socks', amount: '2' },
  ];
  const part = {
    lines: ['No 12', 'Shirt 5.50', 'Socks 2'],
    fields: { number: '12' },
    tables: { items },
    codes: [],
  };
  expect(shown.decoded).toEqual({ ...part, parts: [part] });
  expect(Number.isInteger(shown.time)).toBe(true);
});

test('uses the newest version for an id, even a draft, and shows the decoded document', async () => {
  await world.setUp('m', { transform: { language: 'jsonata', expression: '[]' } });
  await world.create(jsonMapping('m'));
  const shown = await dryRun({ mapping: 'm', input_base64 });
  expect(shown).toMatchObject({ receipts: [{ transaction_id: 'K' }], errors: [] });
  const doc = { sales: [{ number: 'K', sum: 5 }] };
  expect(shown.decoded).toEqual({ doc, parts: [{ doc }] });
});

test('accepts a mapping in the form in which it is returned', async () => {
  const { body } = await world.create(jsonMapping('m'));
  expect(await dryRun({ mapping: body, input_base64 })).toMatchObject({ errors: [] });
});

test('stores nothing, neither the mapping nor the receipts', async () => {
  const before = world.broker.received.length;
  await dryRun({ mapping: jsonMapping('m'), input_base64 });
  expect(await world.kept('mappings')).toEqual([]);
  expect(world.broker.received.slice(before).map(({ name }) => name)).toEqual([
    'transform.dry-run-mapping',
    'receipt-store.preview-receipt',
  ]);
});

test.each([
  ['decode_failed', '{', {}],
  ['no_receipt', sales(), { transform: { language: 'jsonata', expression: '{}' } }],
  ['unknown_codepage', sales(), { decode: { type: 'json', codepage: 'cp9999' } }],
] as const)('reports %s among the errors instead of rejecting the request', async (code, bytes, changes) => {
  const shown = await dryRun({ mapping: jsonMapping('m', changes), input_base64: base64(bytes) });
  expect(shown).toMatchObject({ receipts: [], errors: [{ code }] });
});

test('shows what can be decoded even if a pattern and the expression do not compile', async () => {
  const tables = { items: { row: '(' } };
  const mapping = {
    ...slip,
    extract: { fields: slip.extract?.fields ?? {}, tables },
    transform: { language: 'jsonata', expression: '{' } as const,
  };
  const { errors, decoded } = await dryRun({ mapping, input_base64: base64('No 12') });
  expect(errors.map(({ path }) => path)).toEqual(['/extract/tables/items/row', '/transform/expression']);
  expect(decoded).toMatchObject({ lines: ['No 12'], fields: { number: '12' }, tables: {} });
});

describe('a job of several parts', () => {
  const mapping: PostedMapping = {
    id: 'parts',
    decode: { type: 'text' },
    extract: { fields: { number: { line: '^No (\\S+)' }, total: { line: '^TOTAL (\\S+)' } } },
    transform: {
      language: 'jsonata',
      expression: `fields.number ? {
        "transaction_id": fields.number, "localtime": "2026-01-02T03:04:05", "store_reference": "1",
        "total": $number(fields.total), "items": [{ "name": "Tea", "quantity": 1, "total": 5 }] } : []`,
    },
  };
  const tryJob = (text: string) => dryRun({ mapping, input_base64: base64(text) });

  test('shows all parts', async () => {
    const { decoded, receipts, errors } = await tryJob('KITCHEN\fNo 1\nTOTAL 5');
    expect([receipts.length, errors]).toEqual([1, []]);
    expect(decoded.lines).toEqual(['KITCHEN']);
    expect(decoded.parts).toMatchObject([
      { lines: ['KITCHEN'], fields: {} },
      { lines: ['No 1', 'TOTAL 5'], fields: { number: '1' } },
    ]);
  });

  test('reports two receipts with one number, as a post does', async () => {
    const { receipts, errors, decoded } = await tryJob('No 1\nTOTAL 5\fNo 1\nTOTAL 6');
    expect(receipts).toEqual([]);
    expect(errors).toMatchObject([{ path: '/1/transaction_id', code: 'duplicate_transaction_id', part: 1 }]);
    expect(decoded.parts).toHaveLength(2);
  });

  test('reports the part of an invalid receipt', async () => {
    const { errors } = await tryJob('KITCHEN\fNo 1\nTOTAL 1e999');
    expect(errors).toMatchObject([{ part: 1 }]);
  });

  test('warns of totals that do not add up', async () => {
    const check = { code: 'items_total', path: '/total', expected: 5, actual: 6 } as const;
    world.neighbours.checks.set('1', [check]);
    const { warnings, errors } = await tryJob('KITCHEN\fNo 1\nTOTAL 6');
    world.neighbours.checks.clear();
    expect(errors).toEqual([]);
    expect(warnings).toMatchObject([{ path: '/0/total', code: 'items_total', part: 1 }]);
  });
});

test('does not find an unknown mapping, or one that belongs to another retailer', async () => {
  await world.create(jsonMapping('m'));
  expect(await refusalOf(dryRun({ mapping: 'n', input_base64 }))).toBe('404 mapping_not_found');
  const foreign = dryRun({ mapping: 'm', input_base64 }, { retailer: newId() });
  expect(await refusalOf(foreign)).toBe('404 mapping_not_found');
});

test.each<[string, object]>([
  ['/input_base64', { mapping: 'm', input_base64: '*' }],
  ['/input_base64', { mapping: 'm' }],
  ['/other', { mapping: 'm', input_base64, other: 1 }],
  ['/content_type', { mapping: 'm', input_base64, content_type: '' }],
])('reports a schema violation at %s: %j', async (path, body) => {
  expect(await refusalOf(dryRun(body as Body))).toBe(`422 schema_validation_failed ${path}`);
});
