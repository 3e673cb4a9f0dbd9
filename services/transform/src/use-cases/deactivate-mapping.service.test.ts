import { newId } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { jsonMapping, sales } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

const deactivate = (id: string, changes = {}) => world.ask('deactivateMapping', { params: { id } }, changes);
const activeOnes = async () => (await world.kept('mappings')).map(({ active }) => active);

test('makes the active version inactive immediately', async () => {
  await world.setUp('m');
  await world.create(jsonMapping('m'));
  expect((await world.convert(sales('D1'))).failure).toBeNull();
  const { body, meta } = await deactivate('m');
  expect(body).toEqual({ ...jsonMapping('m'), version: 1, status: 'inactive' });
  expect(meta).toEqual({ id: 'm', version: 1 });
  expect((await world.convert(sales('D2'))).failure?.reason).toBe('no_mapping');
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2, active: null, activated: [1] }]);
});

test('keeps the other mappings active', async () => {
  await world.setUp('m');
  await world.setUp('n');
  await deactivate('m');
  expect(await activeOnes()).toEqual([null, 1]);
});

test('returns the newest version if none is active', async () => {
  await world.create(jsonMapping('m'));
  await world.create(jsonMapping('m'));
  expect((await deactivate('m')).body).toMatchObject({ version: 2, status: 'draft' });
  expect(await world.kept('mappings')).toMatchObject([{ newest: 2, active: null, activated: [] }]);
});

test('does not find an unknown mapping, or one that belongs to another retailer', async () => {
  await world.setUp('m');
  expect(await refusalOf(deactivate('n'))).toBe('404 mapping_not_found');
  expect(await refusalOf(deactivate('m', { retailer: newId() }))).toBe('404 mapping_not_found');
  expect(await activeOnes()).toEqual([1]);
});

test.each([
  ['the same message', { id: newId() }],
  ['the same key', { idempotencyKey: 'k' }],
])('does not undo a later activation when retried with %s', async (_, again) => {
  await world.setUp('m');
  await deactivate('m', again);
  await world.activate('m');
  await deactivate('m', again);
  expect(await activeOnes()).toEqual([1]);
});
