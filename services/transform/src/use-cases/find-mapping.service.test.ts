import { newId } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { jsonMapping } from '../testing/samples';
import { worldOfTests } from '../testing/world';
import { findMapping } from './find-mapping';

const world = worldOfTests();

const find = (id: string, version?: number, changes = {}) =>
  findMapping(world.deps, world.callOf(changes), id, version);

test('returns the newest or a given version, with the state of the mapping', async () => {
  await world.setUp('m');
  await world.create(jsonMapping('m', { description: 'second' }));
  const head = { id: 'm', newest: 2, active: 1, activated: [1] };
  const second = { ...jsonMapping('m', { description: 'second' }), version: 2, status: 'draft' };
  expect(await find('m')).toEqual({ head, document: second });
  expect(await find('m', 1)).toEqual({
    head,
    document: { ...jsonMapping('m'), version: 1, status: 'active' },
  });
});

test('distinguishes mappings whose ids have a common prefix', async () => {
  await world.create(jsonMapping('m'));
  await world.create(jsonMapping('m.1', { description: 'other' }));
  expect((await find('m')).document).not.toHaveProperty('description');
  expect((await find('m.1')).document.description).toBe('other');
});

test('does not find an unknown mapping or version, or one that belongs to another retailer', async () => {
  await world.create(jsonMapping('m'));
  expect(await refusalOf(find('n'))).toBe('404 mapping_not_found');
  expect(await refusalOf(find('m', 2))).toBe('404 mapping_not_found');
  expect(await refusalOf(find('m', 1, { retailer: newId() }))).toBe('404 mapping_not_found');
});

test('by default, does not return a version that its mapping does not list yet', async () => {
  await world.create(jsonMapping('m'));
  await world.loseHeads();
  expect(await refusalOf(find('m'))).toBe('404 mapping_not_found');
});
