import { createMetrics } from './metrics';
import { storageMetrics } from './storage-metrics';

test('shows the unpublished events of each collection, and reads them once per scrape', async () => {
  const metrics = createMetrics('test');
  const outbox = storageMetrics(metrics);
  let reads = 0;
  outbox.observeBacklog('receipts', () => {
    reads++;
    return Promise.resolve({ documents: 3, oldestAgeMs: 1_500 });
  });
  outbox.observeBacklog('receipts', () => Promise.resolve({ documents: 4, oldestAgeMs: 500 }));
  outbox.observeBacklog('broken', () => Promise.reject(new Error('away')));
  outbox.published('receipts', 7);
  const text = await metrics.text();
  expect(text).toContain('outbox_published_total{collection="receipts",service="test"} 7');
  expect(text).toContain('outbox_pending_documents{collection="receipts",service="test"} 7');
  expect(text).toContain('outbox_oldest_age_seconds{collection="receipts",service="test"} 1.5');
  expect(text).not.toContain('broken');
  expect(reads).toBe(1);
});
