import { faultsMax, newId } from '@receipts/kernel';
import { refusal, refusalOf } from '@receipts/testing';
import { base64, brokenMapping, jsonMapping, sales } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

const good = { input_base64: base64(sales('S1')), expect: { transaction_id: 'S1', total: 5 } };
const activeOnes = async () => (await world.kept('mappings')).map(({ active }) => active);

test('activates the newest or a given version, and keeps at most one version active', async () => {
  await world.create(jsonMapping('m'));
  await world.create(jsonMapping('m'));
  const { body, meta } = await world.ask('activateMapping', { params: { id: 'm' } });
  expect(body).toEqual({ ...jsonMapping('m'), version: 2, status: 'active' });
  expect(meta).toEqual({ id: 'm', version: 2 });
  expect((await world.activate('m', 1)).body).toMatchObject({ version: 1, status: 'active' });
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2, active: 1, activated: [2, 1] }]);
});

test('takes effect immediately', async () => {
  await world.setUp('m');
  expect((await world.convert(sales('F1'))).mapping).toEqual({ id: 'm', version: 1 });
  await world.setUp('m');
  expect((await world.convert(sales('F2'))).mapping).toEqual({ id: 'm', version: 2 });
  await world.activate('m', 1);
  expect((await world.convert(sales('F3'))).mapping).toEqual({ id: 'm', version: 1 });
});

test('is prevented by failing samples, shows the differences, and keeps the active version', async () => {
  await world.setUp('m', { samples: [good] });
  const wrong = { ...good, expect: { transaction_id: 'S2', items: [{ total: 5 }, {}] } };
  await world.create(jsonMapping('m', { samples: [good, wrong] }));
  const error = await refusal(world.activate('m'));
  expect(error).toMatchObject({ status: 422, code: 'samples_failed' });
  expect(error.errors).toMatchObject([
    { path: '/samples/1/expect/transaction_id', code: 'sample_differs', message: 'expected "S2", got "S1"' },
    { path: '/samples/1/expect/items' },
  ]);
  expect(await activeOnes()).toEqual([1]);
});

test('applies the metadata and properties of a sample', async () => {
  const sample = {
    ...good,
    properties: { Email: 'a@b.example' },
    metadata: { identifier: 'joe' },
    expect: [{ identifier: 'joe', properties: { email: 'a@b.example' } }],
  };
  await world.create(jsonMapping('m', { samples: [sample] }));
  expect((await world.activate('m')).body.status).toBe('active');
});

test.each([
  ['no receipt', sales(), 'null', '/samples/0/receipts'],
  ['an empty list instead of a receipt', sales(), '[]', '/samples/0/expect'],
  ['a body that is not JSON', '{', 'doc', '/samples/0/receipts'],
  ['a receipt that violates the schema', '{}', '{ "items": 1 }', '/samples/0/receipts/0/'],
])('fails with a sample that produces %s', async (_, bytes, expression, path) => {
  const samples = [{ input_base64: base64(bytes), expect: {} }];
  await world.create(jsonMapping('m', { samples, transform: { language: 'jsonata', expression } }));
  const { code, errors = [] } = await refusal(world.activate('m'));
  expect(code).toBe('samples_failed');
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(error.path.startsWith(path)).toBe(true);
});

test('reports no more faults than a response may contain', async () => {
  const many = Object.fromEntries(Array.from({ length: faultsMax + 1 }, (_, n) => [`x${n}`, 1]));
  await world.create(jsonMapping('m', { samples: [{ ...good, expect: many }] }));
  expect((await refusal(world.activate('m'))).errors).toHaveLength(faultsMax);
});

test('rejects a version that compiled in an earlier release but no longer does', async () => {
  await world.deps.mappings.addVersion(world.retailer, brokenMapping('m'), world.callOf(), new Date());
  expect(await refusal(world.activate('m'))).toMatchObject({ status: 422, code: 'mapping_invalid' });
  expect(await activeOnes()).toEqual([null]);
});

test('does not find an unknown mapping or version, or one that belongs to another retailer', async () => {
  await world.create(jsonMapping('m'));
  expect(await refusalOf(world.activate('n'))).toBe('404 mapping_not_found');
  expect(await refusalOf(world.activate('m', 2))).toBe('404 mapping_not_found');
  expect(await refusalOf(world.activate('m', 1, { retailer: newId() }))).toBe('404 mapping_not_found');
  expect(await activeOnes()).toEqual([null]);
});

test.each([
  ['the same message', { id: newId() }],
  ['the same key', { idempotencyKey: 'k' }],
])('does not undo later changes when retried with %s', async (_, again) => {
  await world.create(jsonMapping('m'));
  await world.create(jsonMapping('m'));
  await world.activate('m', 1, again);
  await world.activate('m', 2);
  expect((await world.activate('m', 1, again)).body.version).toBe(1);
  expect(await activeOnes()).toEqual([2]);
});

test.each([{ version: 0 }, { version: '1' }, { versions: 1 }])('rejects %j as a version', async (body) => {
  await world.create(jsonMapping('m'));
  const work = world.ask('activateMapping', { params: { id: 'm' }, body: body as never });
  expect(await refusalOf(work)).toMatch(/^422 schema_validation_failed/);
});
