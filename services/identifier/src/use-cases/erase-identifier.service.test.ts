import { createHash } from 'node:crypto';
import { newId, type CloudEvent } from '@receipts/kernel';
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

const erase = async (identifier: string, call = callOf(retailer)) =>
  (await world.ask('eraseIdentifier', { params: { identifier } }, call)).meta.isDone;
const erased = (identifier: string) => until('the identifier is erased', () => erase(identifier));
const get = (identifier: string) => world.ask('getIdentifier', { params: { identifier } }, callOf(retailer));
const create = (identifier: string) =>
  world.ask(
    'createIdentifier',
    { body: { identifier, properties: { city: 'Paris', phone: '+33 1' } } },
    callOf(retailer),
  );
const published = () =>
  world.events.filter((event) => event.retailer === retailer && event.type === 'identifier.erased');
const receiptsOf = (identifier: string, count: number) => {
  const ids = Array.from({ length: count }, () => newId());
  world.receipts.push(...ids.map((id) => ({ id, retailer, identifier })));
  return ids;
};
/** All traces of the text in the database, in any collection. */
async function traces(text: string): Promise<string[]> {
  const collections = await world.database.db.collections();
  const found = await Promise.all(
    collections.map(async (collection) =>
      JSON.stringify(await collection.find().toArray()).includes(text) ? collection.collectionName : [],
    ),
  );
  return found.flat();
}

it('erases the identifier, its summary and rewards, and publishes one event without personal data', async () => {
  const jane = `jane-${newId()}@example.com`;
  const rule = { spend: 10, value: 5, name: '5 off' };
  world.settings.set(retailer, { loyalty: [{ id: 1, name: 'Rewards', rule }] });
  await create(jane);
  const ids = receiptsOf(jane, 5);
  await world.deliver(...ids.map((id) => receiptEvent(retailer, 1, { id, identifier: jane })));
  expect(await world.database.db.collection('rewards').countDocuments({ retailer, identifier: jane })).toBe(
    5,
  );
  expect(await erase(jane)).toBe(false);
  await erased(jane);
  expect(await refusalOf(get(jane))).toBe('404 identifier_not_found');
  expect(world.receipts.filter(({ identifier }) => identifier === jane)).toEqual([]);
  const hash = createHash('sha256').update(jane).digest('hex');
  expect(world.addressesForgotten).toEqual([...ids, hash]);
  expect(world.searchesForgotten).toEqual([jane, '+33 1']);
  expect(await world.database.db.collection('rewards').countDocuments({ retailer })).toBe(5);
  await until('the event was published', () => published().length > 0);
  expect(published()).toMatchObject([{ subject: hash, sequence: 1, data: { identifier_sha256: hash } }]);
  expect(JSON.stringify(published())).not.toContain(jane);
  await until('the outboxes are empty', async () => (await traces(jane)).length === 0);
});

it('continues after failures', async () => {
  await create('joe');
  receiptsOf('joe', 3);
  world.eraseFaults.push(new Error('nobody answers'));
  await erase('joe');
  await until('the erasure has failed', () => world.eraseFaults.length === 0);
  expect(await erase('joe')).toBe(false);
  world.now = new Date(world.now.getTime() + 60_000);
  await erased('joe');
  await until('the event was published', () => published().length > 0);
  expect(published()).toHaveLength(1);
});

it('waits longer after each failure, up to a minute', async () => {
  world.now = new Date();
  await create('max');
  receiptsOf('max', 1);
  const kept = world.database.db.collection('erasures');
  const pauses: number[] = [];
  for (let attempts = 1; attempts <= 7; attempts++) {
    const failedAt = world.now;
    world.eraseFaults.push(new Error('nobody answers'));
    await erase('max');
    await until('the erasure is postponed', async () => {
      const erasure = await kept.findOne({ retailer });
      pauses[attempts - 1] = ((erasure?.['dueAt'] as Date).getTime() - failedAt.getTime()) / 1_000;
      return (
        erasure?.['attempts'] === attempts && world.eraseFaults.length === 0 && pauses[attempts - 1] !== 15
      );
    });
    world.now = new Date(world.now.getTime() + 60_000);
  }
  expect(pauses).toEqual([3, 6, 12, 24, 48, 60, 60]);
  await erased('max');
});

it('erases the addresses of receipts that were erased before a failure', async () => {
  world.now = new Date();
  await create('amy');
  const ids = receiptsOf('amy', 60);
  world.forgetFaults.push(new Error('nobody answers'));
  await erase('amy');
  await until('the erasure has failed', () => world.forgetFaults.length === 0);
  expect(await erase('amy')).toBe(false);
  world.now = new Date(world.now.getTime() + 60_000);
  await erased('amy');
  expect(world.addressesForgotten).toEqual(expect.arrayContaining(ids));
  const kept = await world.database.db.collection('erasures').find({ retailer }).toArray();
  expect(JSON.stringify(kept)).not.toContain(ids[0]);
});

it('restores the consumer for a later receipt, but not for an event from before the erasure, whatever the clocks say', async () => {
  world.now = new Date();
  const aheadMs = 3_000;
  const at = (ms: number) => new Date(world.now.getTime() + ms).toISOString();
  await create('joe');
  const early = { ...receiptEvent(retailer, 1, { id: newId(), identifier: 'joe' }), time: at(aheadMs) };
  await erase('joe');
  await erased('joe');
  await world.deliver(early);
  expect(await refusalOf(get('joe'))).toBe('404 identifier_not_found');
  const contributions = world.database.db.collection('receipt_contributions');
  expect(await contributions.countDocuments({ retailer, identifier: 'joe' })).toBe(0);
  const [id] = receiptsOf('joe', 1) as [string];
  const late = { ...receiptEvent(retailer, 1, { id, identifier: 'joe' }), time: at(-aheadMs) };
  await world.deliver(early, late);
  expect((await get('joe')).body).toMatchObject({ properties: {}, summary: { receipts: 1 } });
  expect(await erase('joe')).toBe(false);
  await erased('joe');
  await until('both were published', () => published().length === 2);
  expect(published().map(({ sequence }) => sequence)).toEqual([1, 2]);
});

it('erases the packets, and waits for those that are being converted', async () => {
  world.now = new Date();
  await create('kim');
  const packet = { retailer, identifier: 'kim' as string | null, isConverting: true };
  world.packets.push(packet);
  await erase('kim');
  const kept = world.database.db.collection('erasures');
  await until(
    'the erasure is postponed',
    async () => ((await kept.findOne({ retailer }))?.['attempts'] ?? 0) > 0,
  );
  expect(await erase('kim')).toBe(false);
  packet.isConverting = false;
  world.now = new Date(world.now.getTime() + 60_000);
  await erased('kim');
  expect(packet.identifier).toBeNull();
});

it('returns 404 for an unknown identifier, and to callers without access', async () => {
  await create('ann');
  expect(await refusalOf(erase('never'))).toBe('404 identifier_not_found');
  expect(await refusalOf(erase('ann', callOf('another')))).toBe('404 identifier_not_found');
  const confined = callOf(retailer, { consumers: ['joe'] });
  expect(await refusalOf(erase('ann', confined))).toBe('404 identifier_not_found');
  expect((await get('ann')).body.identifier).toBe('ann');
});

it('publishes an event that is still pending before that of the next erasure', async () => {
  await create('joe');
  await erased('joe');
  const outbox = () => world.database.db.collection('erasures').findOne({ retailer });
  await until('the event is published', async () => (await outbox())?.['outbox'].length === 0);
  const { id, type, ...event } = published()[0] as CloudEvent;
  const pending = { id: newId(), type, at: new Date(), isInternal: false };
  const item = { ...pending, body: JSON.stringify({ ...event, type, id: pending.id }) };
  await world.database.db.collection('erasures').updateOne({ retailer }, { $set: { outbox: [item] } });
  await create('joe');
  await erased('joe');
  await until('all are published', () => published().length === 3);
  expect(published().map((each) => [each.id, each.sequence])).toEqual([
    [id, 1],
    [pending.id, 1],
    [expect.any(String), 2],
  ]);
});
