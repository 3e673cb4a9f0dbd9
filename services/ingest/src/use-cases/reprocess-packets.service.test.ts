import type { FailureReason } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const reprocess = async (body?: { reason?: FailureReason; mapping?: string }, changes = {}) =>
  (await world.ask('reprocessPackets', { ...(body && { body }) }, changes)).body.count;
const fail = (outcome: FailureReason, mapping = 'm') => world.post({ outcome, mapping });
const attemptsOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await world.packet(id)).attempts));

test('converts all failed packets again if there is no body, at the rate of the sweep', async () => {
  const ids = [await fail('timeout'), await fail('no_mapping', 'other')];
  const converted = await world.post();
  expect(await reprocess()).toBe(2);
  for (const id of ids) {
    const [, again] = await world.conversionRequests(id, 2);
    expect(again).toMatchObject({ params: { attempt: 2 } });
    expect(await world.packet(id)).toMatchObject({
      status: 'accepted',
      attempts: 2,
      reason: null,
      errors: [],
    });
  }
  expect(await world.packet(converted)).toMatchObject({ status: 'converted', attempts: 1 });
  expect(await reprocess()).toBe(0);
});

test('converts only those with a given reason, mapping, or both', async () => {
  const ids = [await fail('timeout', 'a'), await fail('timeout', 'b'), await fail('crashed', 'b')];
  expect(await reprocess({ reason: 'too_large' })).toBe(0);
  expect(await reprocess({ reason: 'timeout', mapping: 'b' })).toBe(1);
  expect(await attemptsOf(ids)).toEqual([1, 2, 1]);
  expect(await reprocess({ mapping: 'b' })).toBe(1);
  expect(await attemptsOf(ids)).toEqual([1, 2, 2]);
  expect(await reprocess({ reason: 'timeout' })).toBe(1);
  expect(await attemptsOf(ids)).toEqual([2, 2, 2]);
});

test('ignores packets of other retailers', async () => {
  const id = await fail('timeout');
  expect(await reprocess({}, { retailer: newId() })).toBe(0);
  expect(await attemptsOf([id])).toEqual([1]);
});

test('repeats the original response for a retry, without a further effect', async () => {
  const id = await fail('timeout');
  const keyed = { idempotencyKey: 'k' };
  expect(await reprocess({}, keyed)).toBe(1);
  await world.finish(id, 'crashed', { attempt: 2 });
  expect(await reprocess({}, keyed)).toBe(1);
  expect(await attemptsOf([id])).toEqual([2]);
});

test.each([
  [{ reason: 'because' }, '/reason'],
  [{ mapping: '' }, '/mapping'],
  [{ store: '1' }, '/store'],
])('rejects %j', async (body, path) => {
  expect(await refusalOf(reprocess(body as never))).toBe(`422 schema_validation_failed ${path}`);
});
