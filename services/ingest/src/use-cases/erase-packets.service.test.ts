import { newId, ServiceError, unavailable } from '@receipts/kernel';
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

test('finds the attachments of a packet again after an interruption', async () => {
  const attachment = await world.upload();
  const headers: [string, string][] = [['service-attachment-id', `${attachment}; label=slip`]];
  const id = await world.post({ query: [['identifier', 'jane']], headers, outcome: 'timeout' });
  await Promise.all([world.events(id, 2), world.events(attachment)]);
  const { answers } = world.broker;
  const eraseEvents = answers.get('delivery.erase-addresses') as (body: never) => unknown;
  let interruptions = 0;
  answers.set('delivery.erase-addresses', () => {
    interruptions++;
    throw new ServiceError(unavailable);
  });
  await until('the erasure is interrupted', () =>
    erase().then(
      () => interruptions > 0,
      () => interruptions > 0,
    ),
  );
  answers.set('delivery.erase-addresses', eraseEvents);
  await until('the erasure is complete', erase);
  expect(world.erasedEvents).toContain(attachment);
  expect(await refusalOf(world.ask('getAttachment', { params: { id: attachment } }))).toBe(
    '410 attachment_deleted',
  );
});
