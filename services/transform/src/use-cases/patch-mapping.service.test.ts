import { newId } from '@receipts/kernel';
import { refusal, refusalOf } from '@receipts/testing';
import { jsonMapping } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

const contentType = 'application/json-patch+json';
const newText = [{ op: 'add', path: '/description', value: 'new' }];

const patch = (body: unknown, ifMatch?: string, changes = {}) =>
  world.ask(
    'patchMapping',
    { params: { id: 'm' }, headers: { 'if-match': ifMatch }, body, contentType },
    changes,
  );
const versions = async () => (await world.kept('mapping_versions')).map(({ version }) => version);

test('creates the next version as a draft by patching the newest version, and keeps the active version', async () => {
  await world.setUp('m');
  const { body, meta } = await patch(newText, '"1"');
  expect(body).toEqual({ ...jsonMapping('m'), description: 'new', version: 2, status: 'draft' });
  expect(meta).toEqual({ id: 'm', version: 2 });
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2, active: 1 }]);
  const [first, second] = await world.kept('mapping_versions');
  expect(JSON.parse(first?.document ?? '')).toEqual(jsonMapping('m'));
  expect(JSON.parse(second?.document ?? '')).toEqual({ ...jsonMapping('m'), description: 'new' });
});

test.each(['"1"', 'W/"2"', '"x"'])(
  'rejects a patch unless the newest version has the entity tag %s',
  async (ifMatch) => {
    await world.create(jsonMapping('m'));
    await world.create(jsonMapping('m'));
    expect(await refusalOf(patch(newText, ifMatch))).toBe('412 precondition_failed');
    expect(await versions()).toEqual([1, 2]);
  },
);

test.each<[string, unknown]>([
  ['422 field_not_modifiable', [{ op: 'replace', path: '/id', value: 'n' }]],
  ['422 field_not_modifiable', [{ op: 'replace', path: '/version', value: 7 }]],
  ['422 field_not_modifiable', [{ op: 'remove', path: '/status' }]],
  ['422 field_not_modifiable', [{ op: 'replace', path: '', value: jsonMapping('n') }]],
  ['422 field_not_modifiable', [{ op: 'replace', path: '', value: null }]],
  ['422 field_not_modifiable', [{ op: 'remove', path: '' }]],
  ['422 schema_validation_failed', [{ op: 'replace', path: '/decode', value: { type: 'fax' } }]],
  ['422 schema_validation_failed', [{ op: 'remove', path: '/transform' }]],
  ['422 mapping_invalid', [{ op: 'replace', path: '/transform/expression', value: '(' }]],
  ['422 patch_not_applicable', [{ op: 'remove', path: '/description' }]],
  ['409 patch_test_failed', [{ op: 'test', path: '/version', value: 2 }, ...newText]],
  ['400 malformed_patch', { no: 'patch' }],
])('is rejected as %s: %j', async (expected, body) => {
  await world.create(jsonMapping('m'));
  const { status, code } = await refusal(patch(body));
  expect(`${status} ${code}`).toBe(expected);
  expect(await versions()).toEqual([1]);
});

test('creates a version for each of several concurrent patches, or requests a retry', async () => {
  await world.create(jsonMapping('m'));
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => refusalOf(patch(newText))));
  const made = outcomes.filter((outcome) => outcome === 'no refusal').length;
  expect(made).toBeGreaterThan(0);
  expect(new Set(outcomes.filter((outcome) => outcome !== 'no refusal'))).toEqual(
    new Set(made < 5 ? ['409 conflict'] : []),
  );
  expect(await versions()).toHaveLength(1 + made);
});

test('creates one version if a call is executed twice, even if its process crashes in between', async () => {
  await world.create(jsonMapping('m'));
  const again = { id: newId() };
  const first = await patch(newText, '"1"', again);
  await world.loseHeads();
  expect((await patch(newText, '"1"', again)).body).toEqual(first.body);
  expect(await versions()).toEqual([1, 2]);
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2 }]);
});

test('does not find an unknown mapping, or one that belongs to another retailer', async () => {
  expect(await refusalOf(patch(newText))).toBe('404 mapping_not_found');
  await world.create(jsonMapping('m'));
  expect(await refusalOf(patch(newText, undefined, { retailer: newId() }))).toBe('404 mapping_not_found');
  expect(await versions()).toEqual([1]);
});
