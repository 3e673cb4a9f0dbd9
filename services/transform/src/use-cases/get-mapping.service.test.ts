import { getMapping as contract } from '@receipts/contracts';
import { check, invalidParameter, newId } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { jsonMapping } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

const get = (id: string, version?: number, changes = {}) =>
  world.ask('getMapping', { params: { id }, query: { version } }, changes);

test('returns the newest or a given version, with its status', async () => {
  await world.setUp('m');
  const better = jsonMapping('m', { description: 'better', defaults: { 'a.b': { $x: 1 } } });
  await world.create(better);
  const newest = await get('m');
  expect(newest.body).toEqual({ ...better, version: 2, status: 'draft' });
  expect(newest.meta).toEqual({ id: 'm', version: 2 });
  const first = await get('m', 1);
  expect(first.body).toEqual({ ...jsonMapping('m'), version: 1, status: 'active' });
  expect(first.meta).toEqual({ id: 'm', version: 1 });
  await world.activate('m', 2);
  expect((await get('m', 1)).body.status).toBe('inactive');
});

test('does not find an unknown mapping or version, or one that belongs to another retailer', async () => {
  await world.create(jsonMapping('m'));
  expect(await refusalOf(get('n'))).toBe('404 mapping_not_found');
  expect(await refusalOf(get('m', 2))).toBe('404 mapping_not_found');
  expect(await refusalOf(get('m', 1, { retailer: newId() }))).toBe('404 mapping_not_found');
});

test('requires a version to be a number of 1 or more', async () => {
  const read = async (version: string) => check(contract.query, { version: [version] }, invalidParameter);
  expect(await read('7')).toEqual({ version: 7 });
  for (const version of ['0', '1.5', 'x']) {
    expect(await refusalOf(read(version))).toBe('400 invalid_parameter /version');
  }
});
