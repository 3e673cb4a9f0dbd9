import { personHash } from '@receipts/contracts';
import { orderingKeyOf, streamsAfter } from './ordering-key';

const event = (id: string, type: string, subject: string, sequence: number) =>
  orderingKeyOf({ id, type, subject, sequence });

it('sorts events by their numbers, even if these have several digits', () => {
  const ninth = event('b', 'receipt.updated', 'r', 9);
  const tenth = event('a', 'receipt.deleted', 'r', 10);
  expect(ninth.stream).toBe(tenth.stream);
  expect(ninth.rank < tenth.rank).toBe(true);
});

it('sorts two events of one change by their ids', () => {
  expect(event('a', 'receipt.updated', 'r', 2).rank < event('b', 'receipt.assigned', 'r', 2).rank).toBe(true);
});

it('does not name a consumer, and finds the same stream after the erasure', () => {
  const created = event('a', 'identifier.created', 'jane@example.com', 1);
  expect(created.stream).not.toContain('jane');
  const erased = event('a', 'identifier.created', personHash('jane@example.com'), 1);
  expect(erased.stream).toBe(created.stream);
});

it('distinguishes equal names in different collections', () => {
  expect(event('a', 'store.updated', '1', 2).stream).not.toBe(event('a', 'client.updated', '1', 2).stream);
});

it('orders a view after its receipt, but does not make the receipt wait for views', () => {
  const receipt = event('a', 'receipt.updated', 'r', 7);
  const view = event('b', 'receipt.viewed', 'r', 1);
  expect(view.stream).not.toBe(receipt.stream);
  expect(view.behind).toBe(receipt.stream);
  expect(receipt.behind).toBeUndefined();
  expect(streamsAfter(receipt)).toEqual([receipt.stream, view.stream]);
  expect(streamsAfter(view)).toEqual([view.stream]);
});
