import { listMappings as contract, type MappingState } from '@receipts/contracts';
import { check, invalidParameter, newId } from '@receipts/kernel';
import { refusalOf } from '@receipts/testing';
import { jsonMapping } from '../testing/samples';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

interface Query {
  readonly status?: MappingState;
  readonly count?: number;
  readonly older?: string;
}

const list = async (query: Query = {}, changes = {}) =>
  (await world.ask('listMappings', { query: { count: 100, ...query } }, changes)).body;
const namesOf = ({ mappings }: Awaited<ReturnType<typeof list>>) =>
  mappings.map(({ id, version, status }) => `${id} ${version} ${status}`);

test('lists the newest version of each mapping as posted, sorted by id', async () => {
  await world.create(jsonMapping('n'));
  await world.setUp('m');
  await world.create(jsonMapping('m', { description: 'second' }));
  const { mappings, _links } = await list();
  expect(mappings).toEqual([
    { ...jsonMapping('m', { description: 'second' }), version: 2, status: 'draft' },
    { ...jsonMapping('n'), version: 1, status: 'draft' },
  ]);
  expect(_links).toEqual({});
});

test('lists the newest version of each mapping with the given status', async () => {
  await world.setUp('m');
  await world.setUp('m');
  await world.activate('m', 1);
  await world.create(jsonMapping('m'));
  await world.setUp('n');
  expect(namesOf(await list({ status: 'active' }))).toEqual(['m 1 active', 'n 1 active']);
  expect(namesOf(await list({ status: 'inactive' }))).toEqual(['m 2 inactive']);
  expect(namesOf(await list({ status: 'draft' }))).toEqual(['m 3 draft']);
});

test('lists all pages, without a link on the last page', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await world.create(jsonMapping(id));
  const first = await list({ count: 2 });
  expect(namesOf(first)).toEqual(['a 1 draft', 'b 1 draft']);
  expect(first._links).toEqual({ next: { href: '/pos/mappings?count=2&older=b' } });
  const last = await list({ count: 2, older: 'b' });
  expect(namesOf(last)).toEqual(['c 1 draft', 'd 1 draft']);
  expect(last._links).toEqual({});
});

test('keeps the status in the link, and fills pages with matching versions only', async () => {
  await world.setUp('a');
  await world.create(jsonMapping('b'));
  await world.setUp('c');
  const first = await list({ status: 'active', count: 1 });
  expect(first._links.next?.href).toBe('/pos/mappings?count=1&older=a&status=active');
  expect(namesOf(await list({ status: 'active', count: 1, older: 'a' }))).toEqual(['c 1 active']);
});

test('lists the mappings of one retailer', async () => {
  await world.create(jsonMapping('m'), { retailer: newId() });
  expect(namesOf(await list())).toEqual([]);
});

const readQuery = async (query: object) => check(contract.query, query, invalidParameter);

test('returns 1 to 100 mappings per page, 100 by default', async () => {
  expect(await readQuery({})).toMatchObject({ count: 100 });
  for (const count of ['0', '101', 'x'])
    expect(await refusalOf(readQuery({ count: [count] }))).toBe('400 invalid_parameter /count');
});

test('rejects an invalid status', async () => {
  expect(await refusalOf(readQuery({ status: ['lost'] }))).toBe('400 invalid_parameter /status');
});
