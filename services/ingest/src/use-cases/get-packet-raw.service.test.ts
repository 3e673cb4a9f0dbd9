import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const get = (id: string, changes = {}) => world.ask('getPacketRaw', { params: { id } }, changes);

test('returns the original bytes and type, regardless of the outcome', async () => {
  for (const outcome of ['unknown', 'converted', 'no_mapping'] as const) {
    const contentType = 'text/plain; charset=cp858';
    const id = await world.post({ body: 'caf\u00e9', contentType, outcome });
    const found = await get(id);
    expect(found.body.toString()).toBe('caf\u00e9');
    expect(found.meta).toEqual({ id, contentType });
  }
});

test('does not return an invalid type', async () => {
  const id = await world.post({ contentType: 'text/html\r\nx: y' });
  expect((await get(id)).meta.contentType).toBe('application/octet-stream');
});

test('finds a packet by each of its receipts, under the id of the packet', async () => {
  const id = await world.post({ outcome: 'unknown' });
  const second = newId();
  await world.finish(id, 'converted', { receiptIds: [id, second] });
  expect(await get(second)).toMatchObject({ body: Buffer.from('Sales: 1'), meta: { id } });
});

test('does not find an unknown packet, or one that belongs to another retailer', async () => {
  expect(await refusalOf(get(newId()))).toBe('404 packet_not_found');
  expect(await refusalOf(get(await world.post(), { retailer: newId() }))).toBe('404 packet_not_found');
});
