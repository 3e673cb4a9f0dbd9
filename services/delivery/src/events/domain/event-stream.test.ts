import { personHash } from '@receipts/contracts';
import { rankOf, streamBefore, streamOf, streamsAfter } from './event-stream';

it('does not name a consumer, and is the same after the erasure', () => {
  const created = streamOf({ type: 'identifier.created', subject: 'jane@example.com' });
  expect(created).not.toContain('jane');
  expect(streamOf({ type: 'identifier.created', subject: personHash('jane@example.com') })).toBe(created);
});

it('distinguishes equal names in different collections', () => {
  const store = streamOf({ type: 'store.updated', subject: '1' });
  expect(streamOf({ type: 'store.created', subject: '1' })).toBe(store);
  expect(streamOf({ type: 'client.updated', subject: '1' })).not.toBe(store);
});

it('makes a view wait for its receipt, but not the receipt for views', () => {
  const receipt = streamOf({ type: 'receipt.updated', subject: 'r' });
  const view = streamOf({ type: 'receipt.viewed', subject: 'r' });
  expect(view).not.toBe(receipt);
  expect(streamBefore(view)).toBe(receipt);
  expect(streamBefore(receipt)).toBeUndefined();
  expect(streamsAfter(receipt)).toEqual([receipt, view]);
  expect(streamsAfter(view)).toEqual([view]);
});

it('sorts events by their sequence, even with several digits, and those of one change by their ids', () => {
  const ranks = [
    { id: 'a', sequence: 9 },
    { id: 'b', sequence: 9 },
    { id: 'a', sequence: 10 },
    { id: 'a', sequence: 300 },
  ].map(rankOf);
  expect([...ranks].sort()).toEqual(ranks);
});
