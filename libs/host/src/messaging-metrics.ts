import type { MessagingMetrics } from '@receipts/messaging';
import type { WorkTally } from './instance-reports';
import type { Metrics } from './metrics';

const seconds = (ms: number) => ms / 1_000;

/** Buckets for the number of items per batch. */
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * Queues named by the broker, and queues of a single process, share a label, because a label value must never be an id.
 */
function labelOf(queue: string): string {
  return /^amq\.|[0-9a-f]{8}/.test(queue) ? 'private' : queue;
}

/** The metrics of the broker client for Prometheus. Handled items are also counted in `work`. */
export function messagingMetrics(metrics: Metrics, work: WorkTally) {
  const counter = (name: string, help: string, ...labels: readonly string[]) =>
    metrics.counter({ name, help, labels });
  const histogram = (name: string, help: string, ...labels: readonly string[]) =>
    metrics.histogram({ name, help, labels });
  const published = counter('messages_published_total', 'Messages published.', 'kind');
  const publishedItems = counter('message_items_published_total', 'Items in published messages.', 'kind');
  const confirmed = histogram(
    'message_confirm_seconds',
    'Time from publishing a message to its confirm, return or rejection.',
    'kind',
    'outcome',
  );
  const consumed = counter('message_items_consumed_total', 'Items received.', 'queue');
  const batch = metrics.histogram({
    name: 'handler_batch_items',
    help: 'Items per handler call.',
    labels: ['type'],
    buckets: batchBuckets,
  });
  const handled = histogram('rpc_server_duration_seconds', 'Time that a handler took.', 'type', 'status');
  const asked = histogram(
    'rpc_client_duration_seconds',
    'Time from sending a request to its reply.',
    'type',
    'status',
  );
  const retried = counter('message_items_retried_total', 'Items moved to a retry queue.', 'queue');
  const deadLettered = counter(
    'message_items_dead_lettered_total',
    'Items moved to a dead-letter queue.',
    'queue',
  );
  const up = metrics.gauge({
    name: 'broker_state',
    help: '1 for the current state of the connection, 0 for the others.',
    labels: ['state'],
  });
  return {
    published(kind, _queue, items) {
      published.inc({ kind });
      publishedItems.inc({ kind }, items);
    },
    confirmed: (kind, outcome, ms) => confirmed.observe({ kind, outcome }, seconds(ms)),
    consumed: (queue, items) => consumed.inc({ queue: labelOf(queue) }, items),
    batch: (type, items) => batch.observe({ type }, items),
    handled(type, status, ms) {
      work.note(status);
      handled.observe({ type, status }, seconds(ms));
    },
    asked: (type, status, ms) => asked.observe({ type, status }, seconds(ms)),
    retried: (queue) => retried.inc({ queue: labelOf(queue) }),
    deadLettered: (queue) => deadLettered.inc({ queue: labelOf(queue) }),
    state(state) {
      for (const each of ['up', 'blocked', 'down']) up.set({ state: each }, each === state ? 1 : 0);
    },
  } satisfies MessagingMetrics;
}
