import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { refusalOf, worldOfTests, type Outcome } from '../testing/world';

const world = worldOfTests();

const erase = async () =>
  (await world.ask('erasePackets', { body: { identifier: 'jane' } })).body.is_complete;
const raw = (id: string) => world.ask('getPacketRaw', { params: { id } });
const posted = (identifier: string, outcome: Outcome | 'unknown') =>
  world.post({ query: [['identifier', identifier]], outcome });

test('deletes failed packets of the consumer, so that they cannot restore the consumer', async () => {
  const [janes, joes] = [await posted('jane', 'timeout'), await posted('joe', 'timeout')];
  await world.events(janes, 2);
  await until('the erasure is complete', erase);
  expect(await refusalOf(raw(janes))).toBe('410 packet_deleted');
  expect(await refusalOf(world.ask('reprocessPacket', { params: { id: janes } }))).toBe('422 packet_deleted');
  expect((await world.packet(janes)).metadata).toEqual({});
  expect((await raw(joes)).body.toString()).toBe('Sales: 1');
});

test('removes only the identifier from a packet that others’ receipts need', async () => {
  const id = await posted('jane', 'unknown');
  const receiptIds = [id, newId()];
  await world.finish(id, 'converted', { receiptIds });
  await world.events(id, 2);
  world.neededReceipts.add(receiptIds[1] as string);
  await until('the erasure is complete', erase);
  expect((await raw(id)).body.toString()).toBe('Sales: 1');
  expect((await world.packet(id)).metadata).toEqual({});
});

test('is not complete while a packet of the consumer is being converted', async () => {
  const id = await posted('jane', 'unknown');
  await world.events(id);
  expect(await erase()).toBe(false);
  await world.finish(id, 'timeout');
  await until('the erasure is complete', erase);
  expect(await refusalOf(raw(id))).toBe('410 packet_deleted');
});
