import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const get = (id: string, changes = {}) => world.ask('getPacket', { params: { id } }, changes);

test('returns a packet with its results, without its bytes', async () => {
  const id = await world.post({
    query: [
      ['till_id', '7'],
      ['property-email', 'a@b.example'],
    ],
  });
  const { body } = await get(id);
  expect(body).toEqual({
    id,
    status: 'converted',
    reason: null,
    errors: [],
    content_type: 'text/plain',
    size: 8,
    received_timestamp: expect.stringMatching(/\+00:00$/) as string,
    updated_timestamp: expect.stringMatching(/\+00:00$/) as string,
    attempts: 1,
    mapping: { id: 'm', version: 2 },
    metadata: { till_id: '7' },
    properties: { email: 'a@b.example' },
    receipt_id: id,
    receipt_ids: [id],
    duplicate: false,
  });
});

test('finds a packet by each of its receipts', async () => {
  const id = await world.post({ outcome: 'unknown' });
  const second = newId();
  await world.finish(id, 'converted', { receiptIds: [id, second] });
  expect((await get(second)).body.id).toBe(id);
  expect(await refusalOf(get(second, { retailer: newId() }))).toBe('404 packet_not_found');
});

test('does not find an unknown packet, or one that belongs to another retailer', async () => {
  expect(await refusalOf(get(newId()))).toBe('404 packet_not_found');
  expect(await refusalOf(get(await world.post(), { retailer: newId() }))).toBe('404 packet_not_found');
});
