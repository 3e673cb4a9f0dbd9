import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();
const dayMs = 24 * 60 * 60_000;
const manyCount = 120;

/** Deletes what arrived more than 30 days ago, page by page, when this many days have passed. */
async function expireAfter(days: number): Promise<number> {
  const before = new Date(Date.now() + (days - 30) * dayMs).toISOString();
  let total = 0;
  for (let after: string | null = null; ;) {
    const body: { before: string; after: string | null } = { before, after };
    const answer: { count: number; next: string | null } = (await world.ask('expireRawData', { body })).body;
    total += answer.count;
    if (answer.next === null) return total;
    after = answer.next;
  }
}
const raw = (id: string) => world.ask('getPacketRaw', { params: { id } });
const attachment = (id: string) => world.ask('getAttachment', { params: { id } });

test('deletes packets without receipts, and attachments that no receipt needs, after their retention period', async () => {
  const failed = await world.post({ outcome: 'timeout' });
  const converted = await world.post();
  const waiting = await world.post({ outcome: 'unknown' });
  world.neededReceipts.add(converted);
  const [unlinked, linked] = [await world.upload(), await world.upload()];
  world.neededAttachments.add(linked);
  for (const id of [failed, converted]) await world.events(id, 2);
  for (const id of [unlinked, linked]) await world.events(id);
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
  expect((await attachment(linked)).body.toString()).toBe('bytes');
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
