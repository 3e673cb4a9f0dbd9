import { newId } from '@receipts/kernel';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
const retailer = `r-${newId()}`;

const people = {
  'joe.smith@example.com': {
    name: { title: 'Mr', first: 'Joe', middle: 'B', last: 'Smith' },
    city: 'London',
    birthdate: '1980-02-29',
  },
  'ann.smithson@example.com': { name: { title: 'Ms', first: 'Ann', last: 'Smithson' }, city: 'Londonderry' },
  990000000001: { address: ['1, High Street', 'Upper floor'], postcode: 'N1 9GU', gender: 'female' },
};

beforeAll(async () => {
  world = await startWorld();
  world.settings.set('strict', { search_default_operator: 'and' });
  for (const owner of [retailer, 'strict']) {
    for (const [identifier, properties] of Object.entries(people)) {
      await world.ask('createIdentifier', { body: { identifier, properties } }, callOf(owner));
    }
  }
});
afterAll(() => world.close());

const search = async (
  query: string,
  call = callOf(retailer),
  page: { count?: number; offset?: number } = {},
) => (await world.ask('searchIdentifiers', { query: { query, count: 20, offset: 0, ...page } }, call)).body;
const found = async (query: string, call = callOf(retailer)) =>
  (await search(query, call)).identifiers.map(({ identifier }) => identifier);

const [joe, ann, card] = ['joe.smith@example.com', 'ann.smithson@example.com', '990000000001'];

it.each<[string, string[]]>([
  ['identifier:smi', [ann, joe]],
  ['identifier.exact:990000000001', [card]],
  ['identifier.exact:99000', []],
  ['properties.name.last:smith', [ann, joe]],
  ['properties.name.last.exact:Smith', [joe]],
  ['properties.name.last.exact:smith', []],
  ['properties.name.title:Mr', [joe]],
  ['properties.city:london', [ann, joe]],
  ['properties.city.exact:London', [joe]],
  ['properties.address:"high street"', [card]],
  ['properties.birthdate:[1980 TO 1980]', [joe]],
  ['properties.birthdate:1980-02-29', [joe]],
  ['-properties.name:*', []],
  ['-properties.city:*', [card]],
  ['properties.name.first:jeo~', [joe]],
])('%s', async (query, expected) => {
  if (query === '-properties.name:*') {
    expect(await refusalOf(search(query))).toBe('400 invalid_query');
  } else expect(await found(query)).toEqual(expected);
});

it('returns complete identifiers, the number of hits, and the duration', async () => {
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: joe, total: 7 }));
  const body = await search('identifier.exact:joe.smith@example.com');
  expect(body).toEqual({
    hits: 1,
    hits_relation: 'eq',
    identifiers: [(await world.ask('getIdentifier', { params: { identifier: joe } }, callOf(retailer))).body],
    time: expect.any(Number) as number,
  });
  expect(body.identifiers[0]?.summary).toMatchObject({ receipts: 1, total: 7 });
});

it('ranks by matched conditions, then newest first, and pages by count and offset', async () => {
  const query = 'properties.city:london properties.name.first:joe properties.gender:female';
  expect(await found(query)).toEqual([joe, card, ann]);
  const page = await search(query, callOf(retailer), { count: 1, offset: 1 });
  expect([page.hits, page.identifiers.map(({ identifier }) => identifier)]).toEqual([3, [card]]);
});

it('combines plain conditions with the operator in the retailer’s settings', async () => {
  const query = 'properties.city:london properties.name.first:joe';
  expect(await found(query, callOf('strict'))).toEqual([joe]);
});

it('updates the search after a patch', async () => {
  const identifier = newId();
  await world.ask(
    'createIdentifier',
    { body: { identifier, properties: { city: 'Bonn' } } },
    callOf(retailer),
  );
  const body = [{ op: 'replace', path: '/properties/city', value: 'Reykjavík' }];
  await world.ask(
    'patchIdentifier',
    { params: { identifier }, headers: {}, body, contentType: 'application/json-patch+json' },
    callOf(retailer),
  );
  expect(await found('properties.city:bonn')).toEqual([]);
  expect(await found('properties.city:reykjavik')).toEqual([identifier]);
  expect(await found('properties.city:reykjavjk~')).toEqual([identifier]);
});

it('finds an identifier created by a receipt', async () => {
  const identifier = `walk-in-${newId()}`;
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier }));
  expect(await found(`identifier.exact:${identifier}`)).toEqual([identifier]);
});

it('shows other retailers and restricted callers only their own identifiers', async () => {
  expect(await found('identifier:*', callOf('nobody'))).toEqual([]);
  expect(await found('identifier:smith', callOf(retailer, { consumers: [joe] }))).toEqual([joe]);
  expect(await found('-identifier:ann', callOf(retailer, { consumers: [joe, ann] }))).toEqual([joe]);
});

it.each(['foo:bar', 'foo', 'identifier:', 'properties.gender:[a TO b]', 'properties.birthdate:x'])(
  'rejects %s',
  async (query) => expect(await refusalOf(search(query))).toBe('400 invalid_query'),
);
