import { randomUUID } from 'node:crypto';
import { newId } from '@receipts/kernel';
import { allotter, worldOfTests } from '../testing/world';

const world = worldOfTests();

const find = async (body: { receipt_id: string } | { external_id: string }, retailer = world.retailer) =>
  (await world.ask('findPacketState', { body }, { retailer })).body;

test.each([
  ['unknown', { state: 'accepted' }],
  ['converted', { state: 'converted' }],
] as const)('a packet whose outcome is %s', async (outcome, answer) => {
  expect(await find({ receipt_id: await world.post({ outcome }) })).toEqual(answer);
});

test('returns a failed one with its reason', async () => {
  const id = await world.post({ outcome: 'no_mapping' });
  expect(await find({ receipt_id: id })).toEqual({ state: 'failed', failed: { id, reason: 'no_mapping' } });
});

test('does not find one that has not arrived yet, or belongs to another retailer', async () => {
  expect(await find({ receipt_id: allotter.allot(world.retailer) })).toEqual({ state: 'unknown' });
  expect(await find({ receipt_id: await world.post() }, newId())).toEqual({ state: 'unknown' });
});

test('finds it by the retailer’s external id, in any case', async () => {
  const external = randomUUID();
  const id = await world.post({ query: [['external_id', external]] });
  expect(await find({ external_id: external.toUpperCase() })).toEqual({ state: 'accepted' });
  expect(await find({ external_id: external }, newId())).toEqual({ state: 'unknown' });
  await world.finish(id, 'crashed');
  const failed = { id, reason: 'crashed' };
  expect(await find({ external_id: external })).toEqual({ state: 'failed', failed });
});
