import { WorkTally } from './instance-reports';
import { messagingMetrics } from './messaging-metrics';
import { createMetrics } from './metrics';

test('shows the metrics of the broker client without a label for each private queue', async () => {
  const metrics = createMetrics('test');
  const figures = messagingMetrics(metrics, new WorkTally());
  figures.published('reply', 'amq.rabbitmq.reply-to.x', 12);
  figures.consumed('admin.queries', 3);
  figures.consumed('gateway.stores.0af7651916cd43dd', 1);
  figures.consumed('gateway.stores.1bf7651916cd43dd', 1);
  figures.asked('receipt-store.create-receipt', 201, 12);
  figures.state('blocked');
  const text = await metrics.text();
  expect(text).toContain('message_items_published_total{kind="reply",service="test"} 12');
  expect(text).toContain('message_items_consumed_total{queue="admin.queries",service="test"} 3');
  expect(text).toContain('message_items_consumed_total{queue="private",service="test"} 2');
  expect(text).toMatch(/rpc_client_duration_seconds_count\{.*type="receipt-store.create-receipt".*\} 1/);
  expect(text).toMatch(/broker_state\{.*state="blocked".*\} 1/);
  expect(text).toMatch(/broker_state\{.*state="up".*\} 0/);
});
