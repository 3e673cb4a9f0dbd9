import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { callOf, receiptEvent, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
});
afterAll(() => world.close());

const get = async (identifier: string) =>
  (await world.ask('getIdentifier', { params: { identifier } }, callOf(retailer))).body;
const summary = async (identifier: string) => (await get(identifier)).summary;
const created = () =>
  world.events.filter((event) => event.retailer === retailer).map(({ subject }) => subject);

it('creates an identifier for a receipt, and publishes one event', async () => {
  const cause = receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' });
  await world.deliver(cause);
  await world.deliver(cause, receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' }));
  expect(await get('jane')).toMatchObject({ properties: {}, summary: { receipts: 2, total: 20 } });
  await until('the event was published', () => created().length > 0);
  expect(created()).toEqual(['jane']);
  expect(
    world.events.find(({ subject, retailer: of }) => subject === 'jane' && of === retailer),
  ).toMatchObject({
    causationid: cause.id,
    correlationid: cause.correlationid,
  });
});

it('adds up totals exactly to the last digit', async () => {
  const posted = [0.1, 0.2, 0.00001];
  for (const total of posted)
    await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: 'jane', total }));
  expect(await summary('jane')).toMatchObject({ receipts: 3, total: 0.30001 });
});

it('does not change a known identifier', async () => {
  const properties = { city: 'Paris' };
  await world.ask('createIdentifier', { body: { identifier: 'jane', properties } }, callOf(retailer));
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' }));
  expect((await get('jane')).properties).toEqual(properties);
  await until('the event was published', () => created().length > 0);
  expect(created()).toEqual(['jane']);
});

it('ignores receipts without a consumer', async () => {
  await world.deliver(receiptEvent(retailer, 1, { id: newId(), identifier: null }));
  expect(created()).toEqual([]);
  expect(await world.database.db.collection('receipt_contributions').countDocuments({ retailer })).toBe(0);
});

it('counts a receipt that is assigned later, even if the event of its first version is redelivered', async () => {
  const id = newId();
  const nobodys = receiptEvent(retailer, 1, { id, identifier: null });
  await world.deliver(nobodys);
  await world.deliver(receiptEvent(retailer, 2, { id, identifier: 'jane' }));
  await world.deliver(nobodys);
  expect(await summary('jane')).toMatchObject({ receipts: 1 });
});

it('creates each of many identifiers of several retailers in one batch once', async () => {
  const other = `r-${newId()}`;
  const names = ['a', 'b', 'a', 'c', 'b'];
  await world.deliver(
    ...names.map((identifier) => receiptEvent(retailer, 1, { id: newId(), identifier })),
    receiptEvent(other, 1, { id: newId(), identifier: 'a' }),
  );
  await until('the events of three identifiers', () => created().length >= 3);
  expect(created().sort()).toEqual(['a', 'b', 'c']);
  expect(await summary('a')).toMatchObject({ receipts: 2 });
});

it('ignores repeated, late and reordered events', async () => {
  const id = newId();
  const versions = [1, 2, 3].map((sequence) =>
    receiptEvent(retailer, sequence, { id, identifier: sequence === 3 ? 'last' : 'first', total: sequence }),
  );
  const [one, two, three] = versions as [(typeof versions)[0], (typeof versions)[0], (typeof versions)[0]];
  await world.deliver(two);
  expect(await summary('first')).toMatchObject({ receipts: 1, total: 2 });
  await world.deliver(one);
  expect(await summary('first')).toMatchObject({ receipts: 1, total: 2 });
  // All in one batch, newest first.
  await world.deliver(three, two, one, three);
  expect(await summary('first')).toEqual({});
  expect(await summary('last')).toMatchObject({ receipts: 1, total: 3 });
  // An earlier change that arrives after a later change.
  await world.deliver(two);
  expect(await summary('first')).toEqual({});
  expect(await summary('last')).toMatchObject({ receipts: 1, total: 3 });
});

it('keeps the newest version if several processes handle a new receipt at once', async () => {
  for (let round = 0; round < 20; round++) {
    const id = newId();
    const identifier = `c${round}`;
    await Promise.all(
      [1, 2, 3, 4].map((sequence) =>
        world.deliver(receiptEvent(retailer, sequence, { id, identifier, total: sequence })),
      ),
    );
    expect(await summary(identifier)).toMatchObject({ receipts: 1, total: 4 });
  }
});

it('ignores duplicates', async () => {
  await world.deliver(
    receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' }),
    receiptEvent(retailer, 1, { id: newId(), identifier: 'jane', duplicate: true }),
  );
  expect(await summary('jane')).toMatchObject({ receipts: 1, total: 10 });
});

it('removes a voided receipt from the summary, regardless of the order of events', async () => {
  const [early, late] = [newId(), newId()];
  const posted = (id: string) => receiptEvent(retailer, 1, { id, identifier: 'jane' });
  const voided = (id: string) => receiptEvent(retailer, 2, { id, identifier: 'jane', voided: true });
  await world.deliver(posted(early), receiptEvent(retailer, 1, { id: newId(), identifier: 'jane' }));
  await world.deliver(voided(early));
  expect(await summary('jane')).toMatchObject({ receipts: 1, total: 10 });
  await world.deliver(voided(late));
  await world.deliver(posted(late), posted(early), voided(early));
  expect(await summary('jane')).toMatchObject({ receipts: 1, total: 10 });
});

it('counts an assigned receipt from its assignment on', async () => {
  const id = newId();
  await world.deliver(receiptEvent(retailer, 1, { id, identifier: null }));
  await world.deliver(receiptEvent(retailer, 2, { id, identifier: 'jane' }));
  expect(await summary('jane')).toMatchObject({ receipts: 1 });
  expect(await refusalOf(get('joe'))).toBe('404 identifier_not_found');
});

it('uses the times of the receipts in the summary', async () => {
  const days = ['2026-03-02', '2026-01-05', '2026-02-01'];
  await world.deliver(
    ...days.map((day) =>
      receiptEvent(retailer, 1, { id: newId(), identifier: 'jane', timestamp: `${day}T10:00:00+00:00` }),
    ),
  );
  expect(await summary('jane')).toMatchObject({
    first_receipt_timestamp: '2026-01-05T10:00:00+00:00',
    last_receipt_timestamp: '2026-03-02T10:00:00+00:00',
  });
});
