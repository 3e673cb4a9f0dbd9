import { randomUUID } from 'node:crypto';
import { ingestContracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { callOf } from '@receipts/testing';
import { Packets } from '../storage/packets';
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

test('returns a failed packet with its reason', async () => {
  const id = await world.post({ outcome: 'no_mapping' });
  expect(await find({ receipt_id: id })).toEqual({ state: 'failed', failed: { id, reason: 'no_mapping' } });
});

test('names a converted packet that has no receipts', async () => {
  const id = await world.post({ outcome: 'unknown' });
  await world.finish(id, 'empty');
  expect(await find({ receipt_id: id })).toEqual({ state: 'converted', empty: { id } });
});

test('does not find a packet that has not arrived yet, or belongs to another retailer', async () => {
  expect(await find({ receipt_id: allotter.allot(world.retailer) })).toEqual({ state: 'unknown' });
  expect(await find({ receipt_id: await world.post() }, newId())).toEqual({ state: 'unknown' });
});

test('finds a packet by the retailer’s external id, in upper or lower case', async () => {
  const external = randomUUID();
  const id = await world.post({ outcome: 'unknown', query: [['external_id', external]] });
  expect(await find({ external_id: external.toUpperCase() })).toEqual({ state: 'accepted' });
  expect(await find({ external_id: external }, newId())).toEqual({ state: 'unknown' });
  await world.finish(id, 'crashed');
  const failed = { id, reason: 'crashed' };
  expect(await find({ external_id: external })).toEqual({ state: 'failed', failed });
});

test('shares one read per retailer among concurrent requests', async () => {
  const other = newId();
  const external = randomUUID();
  const known = await world.post({ outcome: 'unknown', query: [['external_id', external]] });
  const unknown = allotter.allot(world.retailer);
  const find = jest.spyOn(Packets.prototype, 'states');
  const item = (body: object, retailer = world.retailer) => ({
    input: { body } as never,
    call: callOf(retailer),
  });
  const answers = await world.broker.callAll(ingestContracts.findPacketState, [
    item({ receipt_id: unknown }),
    item({ receipt_id: known }),
    item({ external_id: external }),
    item({ receipt_id: known }, other),
  ]);
  expect(answers.map((answer) => (answer as { body: { state: string } }).body.state)).toEqual([
    'unknown',
    'accepted',
    'accepted',
    'unknown',
  ]);
  expect(find).toHaveBeenCalledTimes(2);
  find.mockRestore();
});
