import { receiptDeleted } from '@receipts/contracts';
import { eventOf, newId } from '@receipts/kernel';
import { readEvent } from '@receipts/testing';
import { callOf, receiptEvent, startWorld, type World } from '../testing/world';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const deletion = (id: string, sequence: number) => {
  const data = { id, transaction_id: `t-${id}`, deleted_timestamp: '2026-05-17T10:00:00+00:00' };
  return readEvent(eventOf(receiptDeleted, { subject: id, sequence, data }, callOf('demo'), new Date()));
};
const summary = async () =>
  (await world.ask('getIdentifier', { params: { identifier: 'joe' } }, callOf('demo'))).body.summary;

it('removes a deleted receipt from the summary, regardless of the order of events', async () => {
  const [early, late] = [newId(), newId()];
  const posted = (id: string) => receiptEvent('demo', 1, { id, identifier: 'joe', total: 10 });
  await world.deliver(posted(early));
  expect(await summary()).toMatchObject({ receipts: 1, total: 10 });
  await world.deliver(deletion(early, 2));
  expect(await summary()).toEqual({});
  await world.deliver(deletion(late, 2));
  await world.deliver(posted(late), posted(early));
  expect(await summary()).toEqual({});
});
