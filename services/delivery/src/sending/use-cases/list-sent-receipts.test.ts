import { callOf } from '../../testing/samples';
import { listSentReceipts } from './list-sent-receipts';

const deliveries = [
  ['a', 'failed'],
  ['a', 'sent'],
  ['b', 'failed'],
  ['b', 'failed'],
  ['c', 'failed'],
  ['c', 'pending'],
] as const;

it('counts a receipt as sent if one delivery was, and as failed only if nothing else may come', async () => {
  const asked: unknown[] = [];
  const list = listSentReceipts({
    deliveries: {
      attempted: (retailer, receipts) => {
        asked.push([retailer, receipts]);
        return Promise.resolve(
          deliveries.map(([receiptId, status], n) => ({ _id: String(n), receiptId, status })),
        );
      },
    },
  });
  const body = { receipts: ['a', 'b', 'c', 'd'] };
  const reply = await list({ body, query: {}, params: {}, headers: {} } as never, callOf('shop'));
  expect(reply).toEqual({ body: { sent: ['a'], failed: ['b'], pending: ['c'] } });
  expect(asked).toEqual([['shop', body.receipts]]);
});
