import { newId } from '@receipts/kernel';
import { refusal, refusalOf } from '@receipts/testing';
import { brokenMapping, jsonMapping } from '../testing/samples';
import { worldOfTests } from '../testing/world';
import { saveVersion } from './create-mapping';

const world = worldOfTests();

const versions = async () => (await world.kept('mapping_versions')).map(({ version }) => version);

test('creates a draft, and the next version for the same id', async () => {
  const first = await world.create(jsonMapping('m'));
  expect(first.body).toEqual({ ...jsonMapping('m'), version: 1, status: 'draft' });
  expect(first.meta).toEqual({ id: 'm', version: 1 });
  const better = jsonMapping('m', { description: 'better', defaults: { 'a.b': { $x: 1 } } });
  const second = await world.create(better);
  expect(second.body).toEqual({ ...better, version: 2, status: 'draft' });
  const kept = await world.kept('mapping_versions');
  expect(kept.map(({ document }) => JSON.parse(document) as unknown)).toEqual([jsonMapping('m'), better]);
  expect(await world.kept('mappings')).toMatchObject([
    { mapping: 'm', newest: 2, active: null, activated: [] },
  ]);
});

test('leaves the active version active when a new version is created', async () => {
  await world.setUp('m');
  expect((await world.create(jsonMapping('m'))).body).toMatchObject({ version: 2, status: 'draft' });
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2, active: 1, activated: [1] }]);
});

test('creates ten versions for ten concurrent requests', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => world.create(jsonMapping('m'))));
  const numbers = made.map(({ body }) => body.version).sort((a, b) => a - b);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('counts versions per retailer', async () => {
  await world.create(jsonMapping('m'), { retailer: newId() });
  expect((await world.create(jsonMapping('m'))).body.version).toBe(1);
  expect(await versions()).toEqual([1]);
});

test('creates one version if a call is executed twice, even if its process crashes in between', async () => {
  const call = { id: newId() };
  const first = await world.create(jsonMapping('m'), call);
  await world.loseHeads();
  expect((await world.create(jsonMapping('m'), call)).body).toEqual(first.body);
  expect(await world.kept('mappings')).toMatchObject([{ newest: 1 }]);
  expect((await world.create(jsonMapping('m'))).body.version).toBe(2);
});

test('creates one version for the same idempotency key', async () => {
  const keyed = { idempotencyKey: 'k' };
  await world.create(jsonMapping('m'), keyed);
  expect((await world.create(jsonMapping('m'), keyed)).body.version).toBe(1);
  expect(await versions()).toEqual([1]);
});

test('rejects parts that do not compile, with every position, and stores nothing', async () => {
  const error = await refusal(world.create(brokenMapping('broken')));
  expect(error).toMatchObject({ status: 422, code: 'mapping_invalid' });
  expect(error.errors?.map(({ path }) => path)).toEqual([
    '/decode/codepage',
    '/extract/fields/a/line',
    '/extract/fields/b/line',
    '/extract/tables/t/row',
    '/transform/expression',
  ]);
  expect(error.errors?.at(-1)).toMatchObject({ line: 3 });
  expect(await versions()).toEqual([]);
});

test('rejects a version that is based on an outdated version', async () => {
  await world.create(jsonMapping('m'));
  await world.create(jsonMapping('m'));
  const keep = (after: number) => saveVersion(world.deps, jsonMapping('m'), world.callOf(), after);
  expect(await refusalOf(keep(1))).toBe('409 conflict');
  expect((await keep(2)).meta).toEqual({ id: 'm', version: 3 });
});

const sample = { input_base64: '', expect: {} };

test.each<[string, object]>([
  ['/version', { version: 3 }],
  ['/status', { status: 'active' }],
  ['/id', { id: 'a/b' }],
  ['/id', { id: '-a' }],
  ['/id', { id: 'a'.repeat(101) }],
  ['/match/till', { match: { till: ['1'] } }],
  ['/match/till_id', { match: { till_id: [] } }],
  ['/decode/type', { decode: { type: 'fax' } }],
  ['/decode/columns', { decode: { type: 'json', columns: 40 } }],
  ['/transform/language', { transform: { language: 'js', expression: '1' } }],
  ['/transform/expression', { transform: { language: 'jsonata', expression: '' } }],
  ['/limits/timeout_ms', { limits: { timeout_ms: 2_001 } }],
  ['/limits/memory_mb', { limits: { memory_mb: 31 } }],
  ['/samples', { samples: Array.from({ length: 21 }, () => sample) }],
  ['/samples/0/input_base64', { samples: [{ ...sample, input_base64: '*' }] }],
])('reports a schema violation at %s: %j', async (path, changes) => {
  const work = world.create(jsonMapping('m', changes));
  expect(await refusalOf(work)).toBe(`422 schema_validation_failed ${path}`);
});
