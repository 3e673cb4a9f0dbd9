import { newId } from '@receipts/kernel';
import { worldOfTests } from '../testing/world';

const world = worldOfTests();

const preview = async (ids: readonly string[], changes = {}) =>
  (await world.ask('previewPackets', { body: { ids: [...ids] } }, changes)).body.previews;

test('shows the data of packets in the order of their ids, and nothing for unknown ones', async () => {
  const one = await world.post({ body: 'one' });
  const two = await world.post({ body: 'two' });
  expect(await preview([two, newId(), one])).toEqual(['two', null, 'one']);
});

test('shows nothing of other retailers', async () => {
  expect(await preview([await world.post()], { retailer: newId() })).toEqual([null]);
});
