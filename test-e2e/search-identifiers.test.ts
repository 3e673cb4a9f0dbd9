import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let other: TestRetailer;

const people: Record<string, Record<string, unknown>> = {
  'joe.smith@example.com': {
    name: { title: 'Mr', first: 'Joe', middle: 'Bartholomew', last: 'Smith' },
    email: 'joe@mail.example',
    city: 'London',
    postcode: 'N1 9GU',
    house_number: '12 b',
    phone: '+44 20 7946 0000',
    gender: 'male',
    birthdate: '1980-02-29',
    address: ['1, High Street', 'Upper floor'],
  },
  'ann+tag@example.com': {
    name: { title: 'Ms', first: 'Ann', last: 'Smithson' },
    city: 'Londonderry',
    birthdate: '1991-07-14',
    'opt-out': ['receipts'],
  },
  990000000001: { name: { last: 'Öberg' }, city: 'Malmö *', birthdate: null },
};
const [joe, ann, card] = ['joe.smith@example.com', 'ann+tag@example.com', '990000000001'];

beforeAll(async () => {
  [retailer, other] = await Promise.all([aRetailer(), aRetailer()]);
  for (const owner of [retailer, other]) {
    for (const identifier of [joe, ann, card]) {
      const body = { identifier, properties: people[identifier] };
      expect((await owner.api.post('/identifiers', body)).status).toBe(201);
    }
  }
});

const search = (query: string, page: Record<string, string | number> = {}) =>
  retailer.api.get('/identifiers/_search', { query, ...page });
const names = (body: { identifiers: { identifier: string }[] }) =>
  body.identifiers.map(({ identifier }) => identifier);

it.each<[string, string[]]>([
  ['identifier:990', [card]],
  ['identifier:smi', [joe]],
  ['identifier.exact:990000000001', [card]],
  ['identifier.exact:ann+tag@example.com', [ann]],
  ['identifier.exact:Ann+tag@example.com', []],
  ['identifier:*', [card, ann, joe]],
  ['identifier:"@"', [ann, joe]],
  ['identifier:"+"', [ann]],
  ['identifier:"☃"', []],
  ['-identifier:*', []],
  ['-properties.email:*', [card, ann]],
  ['properties.name.title:Mr', [joe]],
  ['properties.name.title:M', []],
  ['properties.name.first:jo', [joe]],
  ['properties.name.first.exact:Jo', []],
  ['properties.name.first.exact:Joe', [joe]],
  ['properties.name.middle:barth', [joe]],
  ['properties.name.middle.exact:Bartholomew', [joe]],
  ['properties.name.last:smith', [ann, joe]],
  ['properties.name.last.exact:Smith', [joe]],
  ['properties.name.last:oberg', [card]],
  ['properties.email:joe@mail', [joe]],
  ['properties.email.exact:joe@mail.example', [joe]],
  ['properties.postcode:n1', [joe]],
  ['properties.postcode.exact:"N1 9GU"', [joe]],
  ['properties.address:"high street"', [joe]],
  ['properties.address:upper', [joe]],
  ['properties.address.exact:"Upper floor"', [joe]],
  ['properties.city:london', [ann, joe]],
  ['properties.city.exact:London', [joe]],
  ['properties.house_number:12', [joe]],
  ['properties.house_number.exact:"12 b"', [joe]],
  ['properties.phone:7946', [joe]],
  ['properties.phone.exact:"+44 20 7946 0000"', [joe]],
  ['properties.gender:male', [joe]],
  ['properties.gender:Male', []],
  ['properties.birthdate:1980-02-29', [joe]],
  ['properties.birthdate:1980', [joe]],
  ['properties.birthdate:[1980-01-01 TO 1991-12-31}', [ann, joe]],
  ['properties.birthdate:{1980 TO *]', [ann]],
  ['properties.birthdate:*', [ann, joe]],
  ['-properties.birthdate:*', [card]],
  ['properties.city:"*"', [card]],
  ['properties.name.last:smiht~', [joe]],
  ['properties.name.last:(smithson oberg)', [card, ann]],
  ['+properties.name.last:smith -properties.city:londonderry', [joe]],
  ['properties.gender:male properties.birthdate:1991', [ann, joe]],
  ['properties.gender:male AND properties.birthdate:1991', []],
])('%s', async (query, expected) => {
  const { status, body } = await search(query);
  expect(status).toBe(200);
  expect(names(body)).toEqual(expected);
  expect([body.hits, body.hits_relation]).toEqual([expected.length, 'eq']);
  expect(Number.isInteger(body.time)).toBe(true);
});

it('returns identifiers like GET, including the summary', async () => {
  await retailer.api.post('/receipts', aReceipt({ identifier: joe, total: 12.5 }));
  await until('the summary', async () => {
    const { body } = await search(`identifier.exact:${joe}`);
    return body.identifiers[0].summary.total === 12.5;
  });
  const { body } = await search(`identifier.exact:${joe}`);
  expect(body.identifiers).toEqual([(await retailer.api.get(`/identifiers/${joe}`)).body]);
});

it('returns 0 hits and an empty array if nothing matches', async () => {
  const { status, body } = await search('identifier.exact:nobody');
  expect([status, body]).toEqual([
    200,
    { hits: 0, hits_relation: 'eq', identifiers: [], time: expect.any(Number) as number },
  ]);
});

it('pages by count and offset, sorted by relevance and then newest first', async () => {
  const query = 'properties.name.last:* properties.gender:male';
  expect(names((await search(query)).body)).toEqual([joe, card, ann]);
  const page = (await search(query, { count: 1, offset: 1 })).body;
  expect([page.hits, names(page)]).toEqual([3, [card]]);
  expect(names((await search(query, { offset: 3 })).body)).toEqual([]);
  expect((await search(query, { offset: 1000 })).status).toBe(200);
});

it.each<[string, Record<string, string>]>([
  ['no query', {}],
  ['an empty query', { query: '' }],
  ['count 0', { query: 'identifier:*', count: '0' }],
  ['count 21', { query: 'identifier:*', count: '21' }],
  ['count x', { query: 'identifier:*', count: 'x' }],
  ['offset -1', { query: 'identifier:*', offset: '-1' }],
  ['offset 1001', { query: 'identifier:*', offset: '1001' }],
])('returns 400 invalid_parameter for %s', async (_what, query) => {
  const answer = await retailer.api.get('/identifiers/_search', query);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
});

it.each<[string, string]>([
  ['foo:bar', 'invalid query: foo is not a valid field'],
  ['properties.colour:red', 'invalid query: properties.colour is not a valid field'],
  ['items.name:shirt', 'invalid query: items.name is not a valid field'],
  ['properties.name:*', 'invalid query: properties.name is not a valid field'],
])('returns 400 for %s: %s', async (query, description) => {
  const answer = await search(query);
  expect([answer.status, answer.body.code, answer.body.description]).toEqual([
    400,
    'invalid_query',
    description,
  ]);
});

it.each([
  'foo',
  'identifier:',
  '"x',
  'properties.gender:[a TO b]',
  'properties.birthdate:abc',
  'identifier:a^2',
])('returns 400 invalid_query for %s', async (query) => {
  const answer = await search(query);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_query']);
});

it('uses the retailer’s search_default_operator', async () => {
  const strict = await aRetailer({ search_default_operator: 'and' });
  for (const [identifier, properties] of Object.entries(people)) {
    await strict.api.post('/identifiers', { identifier, properties });
  }
  const query = 'properties.name.last:smith properties.gender:male';
  const { body } = await strict.api.get('/identifiers/_search', { query });
  expect(names(body)).toEqual([joe]);
});

it('finds identifiers that were created, patched or contained in a receipt, immediately or soon afterwards', async () => {
  const identifier = uniqueId('found');
  await retailer.api.post('/identifiers', { identifier, properties: { city: 'Aachen' } });
  expect(names((await search('properties.city:aachen')).body)).toEqual([identifier]);
  await retailer.api.patch(`/identifiers/${identifier}`, [
    { op: 'replace', path: '/properties/city', value: 'Ulm' },
  ]);
  expect(names((await search('properties.city:aachen')).body)).toEqual([]);
  expect(names((await search('properties.city:ulm')).body)).toEqual([identifier]);
  const walkIn = uniqueId('walkin');
  await retailer.api.post('/receipts', aReceipt({ identifier: walkIn }));
  await until(
    'the identifier is found',
    async () => (await search(`identifier.exact:${walkIn}`)).body.hits === 1,
  );
});

it('restricts the search to the consumer of a signature', async () => {
  const consumer = retailer.signed({ consumer: joe });
  const { body } = await consumer.get('/identifiers/_search', { query: 'identifier:*' });
  expect([body.hits, names(body)]).toEqual([1, [joe]]);
});

it('requires view.search_identifier', async () => {
  const query = { query: 'identifier:*' };
  const without = await retailer.clientWith({ permissions: ['view.get_identifier'] });
  const refused = await without.get('/identifiers/_search', query);
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
  const holder = await retailer.clientWith({ permissions: ['view.search_identifier'] });
  expect((await holder.get('/identifiers/_search', query)).status).toBe(200);
  expect((await (await anonymous()).get('/identifiers/_search', query)).status).toBe(401);
});
