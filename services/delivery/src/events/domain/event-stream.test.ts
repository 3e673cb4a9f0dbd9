import { personHash } from '@receipts/contracts';
import { streamOf, streamsAfter, streamsBefore } from './event-stream';

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
  expect(streamsBefore(view)).toEqual([view, receipt]);
  expect(streamsBefore(receipt)).toEqual([receipt]);
  expect(streamsAfter(receipt)).toEqual([receipt, view]);
  expect(streamsAfter(view)).toEqual([view]);
});
