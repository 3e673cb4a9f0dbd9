import { newId } from '@receipts/kernel';
import type { RawDataSelection } from '@receipts/contracts';
import { inTransitMs } from '@receipts/storage';
import { until } from '@receipts/testing';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();
afterEach(() => {
  world.clock = Date.now;
});
const dayMs = 24 * 60 * 60_000;
const manyCount = 120;

const find = async (body: RawDataSelection, changes = {}) =>
  (await world.ask('findRawData', { body }, changes)).body;
const raw = (id: string) => world.ask('getPacketRaw', { params: { id } });
const attachment = (id: string) => world.ask('getAttachment', { params: { id } });

/** Deletes what arrived more than 30 days ago, page by page, when this many days have passed. */
async function expireAfter(days: number): Promise<number> {
  const before = new Date(Date.now() + (days - 30) * dayMs).toISOString();
  let count = 0;
  for (let after: string | null = null; ;) {
    const page = await find({ before, after });
    count += page.packets.length + page.attachments.length;
    await world.discard({ before, after });
    if (page.next === null) return count;
    after = page.next;
  }
}

test('finds the packets of receipts with their receipts and attachments, for their retailer only', async () => {
  const slip = await world.upload();
  const headers: [string, string][] = [['service-attachment-id', `${slip}; label=slip`]];
  const id = await world.post({ headers });
  world.aheadMs += inTransitMs;
  const found = await find({ packets: [id] });
  const packet = { id, version: expect.any(Number), receipts: [id], attachments: [slip] };
  expect(found).toEqual({ packets: [packet], attachments: [], is_complete: true, next: null });
  const others = await find({ packets: [id] }, { retailer: newId() });
  expect(others).toEqual({ packets: [], attachments: [], is_complete: false, next: null });
});

test('is not complete while a packet is being converted, or is not stored yet', async () => {
  const id = await world.post({ query: [['identifier', 'jane']], outcome: 'unknown' });
  world.aheadMs += inTransitMs;
  for (const selection of [{ packets: [id] }, { packets: [newId()] }, { identifier: 'jane' }])
    expect(await find(selection)).toMatchObject({ packets: [], is_complete: false });
});

test('is not complete while the event of a packet may be on its way', async () => {
  const at = Date.now();
  world.clock = () => at;
  const id = await world.post({ query: [['identifier', 'jane']] });
  const selections = [{ packets: [id] }, { identifier: 'jane' }];
  for (const selection of selections)
    expect(await find(selection)).toMatchObject({ packets: [], is_complete: false });
  world.aheadMs += inTransitMs;
  for (const selection of selections) expect(await find(selection)).toMatchObject({ is_complete: true });
});

test('is not complete while an event waits in the outbox of a packet', async () => {
  world.broker.isAway = true;
  const id = await world.post({ outcome: 'timeout' });
  world.aheadMs += inTransitMs;
  expect(await find({ packets: [id] })).toMatchObject({ packets: [], is_complete: false });
  world.broker.isAway = false;
  await until('its event is published', async () => (await find({ packets: [id] })).is_complete);
});

test('finds the packets of a consumer, so that failed ones cannot restore the consumer', async () => {
  const post = (identifier: string) =>
    world.post({ query: [['identifier', identifier]], outcome: 'timeout' });
  const [janes, joes] = [await post('jane'), await post('joe')];
  await world.events(janes, 2);
  await until('the packet is deleted', () => world.discard({ identifier: 'jane' }));
  expect(await refusalOf(raw(janes))).toBe('410 packet_deleted');
  expect(await refusalOf(world.ask('reprocessPacket', { params: { id: janes } }))).toBe('422 packet_deleted');
  expect((await world.packet(janes)).metadata).toEqual({});
  expect((await raw(joes)).body.toString()).toBe('Sales: 1');
  expect(await find({ identifier: 'jane' })).toMatchObject({ packets: [], is_complete: true });
});

test('finds packets without receipts, and attachments, that arrived before a time', async () => {
  const failed = await world.post({ outcome: 'timeout' });
  const converted = await world.post();
  const waiting = await world.post({ outcome: 'unknown' });
  const unlinked = await world.upload();
  for (const id of [failed, converted]) await world.events(id, 2);
  await world.events(unlinked);
  await expireAfter(29);
  expect((await raw(failed)).body.toString()).toBe('Sales: 1');
  expect((await attachment(unlinked)).body.toString()).toBe('bytes');
  await until('the failed packet is deleted', async () => {
    await expireAfter(31);
    return (await world.kept('packets')).some(({ _id, deletedAt }) => _id === failed && deletedAt);
  });
  expect(await refusalOf(raw(failed))).toBe('410 packet_deleted');
  expect(await world.packet(failed)).toMatchObject({ status: 'failed', reason: 'timeout' });
  expect(await refusalOf(attachment(unlinked))).toBe('410 attachment_deleted');
  for (const id of [converted, waiting]) expect((await raw(id)).body.toString()).toBe('Sales: 1');
});

test('works through many pages', async () => {
  const ids: string[] = [];
  for (let n = 0; n < manyCount; n++) ids.push(await world.upload({ call: { id: newId() } }));
  for (const id of ids) await world.events(id);
  await until('all are deleted', async () => {
    await expireAfter(31);
    return (await world.kept('attachments')).every(({ deletedAt }) => deletedAt);
  });
  expect(await expireAfter(31)).toBe(0);
});
