import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const reprocess = (id: string, changes = {}) => world.ask('reprocessPacket', { params: { id } }, changes);

test('immediately requests the conversion of a failed packet, as another attempt, and clears its reason', async () => {
  const id = await world.post({ body: 'abc', outcome: 'timeout' });
  await reprocess(id);
  const [, again] = await world.conversionRequests(id, 2);
  expect(again).toMatchObject({ body: 'abc', params: { id, attempt: 2 } });
  expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 2, reason: null, errors: [] });
});

test('does not affect a packet that is being converted', async () => {
  const id = await world.post({ outcome: 'unknown' });
  await reprocess(id);
  expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 1 });
  expect(await world.conversionRequests(id)).toHaveLength(1);
});

test('rejects a converted packet', async () => {
  const id = await world.post();
  expect(await refusalOf(reprocess(id))).toBe('409 packet_converted');
  expect(await world.packet(id)).toMatchObject({ status: 'converted', attempts: 1 });
});

test('finds a failed packet by one of its receipts', async () => {
  const id = await world.post({ outcome: 'unknown' });
  const receiptIds = [id, newId()];
  await world.finish(id, 'invalid_receipt', { receiptIds });
  await reprocess(receiptIds[1] as string);
  expect(await world.packet(id)).toMatchObject({ status: 'accepted', attempts: 2 });
});

test('does not find an unknown packet, or one that belongs to another retailer', async () => {
  expect(await refusalOf(reprocess(newId()))).toBe('404 packet_not_found');
  const id = await world.post({ outcome: 'timeout' });
  expect(await refusalOf(reprocess(id, { retailer: newId() }))).toBe('404 packet_not_found');
  expect(await world.packet(id)).toMatchObject({ status: 'failed' });
});

test('has no effect if the request is retried, even if the packet has failed again', async () => {
  const id = await world.post({ outcome: 'timeout' });
  const keyed = { idempotencyKey: 'k' };
  await reprocess(id, keyed);
  await world.finish(id, 'crashed', { attempt: 2 });
  expect(await reprocess(id, keyed)).toMatchObject({ replayed: true });
  expect(await world.packet(id)).toMatchObject({ status: 'failed', reason: 'crashed', attempts: 2 });
});
