import type { Metrics } from './metrics';
import type { OutboxBacklog } from '@receipts/storage';

type ReadBacklog = () => Promise<OutboxBacklog>;

/** Both gauges are collected in the same scrape, so they share one database query. */
const sharedForMs = 500;

function shared(read: ReadBacklog): ReadBacklog {
  let last: { readonly at: number; readonly backlog: Promise<OutboxBacklog> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at > sharedForMs) last = { at: now, backlog: read() };
    return last.backlog;
  };
}

/** The combined backlog of two relays for the same collection. */
function together(one: ReadBacklog, other: ReadBacklog): ReadBacklog {
  return async () => {
    const [a, b] = await Promise.all([one(), other()]);
    return { documents: a.documents + b.documents, oldestAgeMs: Math.max(a.oldestAgeMs, b.oldestAgeMs) };
  };
}

/** The outbox metrics for Prometheus; usable as the `metrics` option of a database. */
export function storageMetrics(metrics: Metrics) {
  const published = metrics.counter({
    name: 'outbox_published_total',
    help: 'Outbox items that the broker has confirmed.',
    labels: ['collection'],
  });
  const unconfirmed = metrics.counter({
    name: 'outbox_unconfirmed_total',
    help: 'Attempts to publish an outbox item that the broker did not confirm.',
    labels: ['collection'],
  });
  const backlogs = new Map<string, ReadBacklog>();
  const gauge = (name: string, help: string, valueOf: (backlog: OutboxBacklog) => number) =>
    metrics.gauge({
      name,
      help,
      labels: ['collection'],
      async collect(self) {
        for (const [collection, read] of backlogs) {
          // An unavailable database must not fail the scrape of the other metrics.
          const backlog = await read().catch(() => undefined);
          if (backlog) self.set({ collection }, valueOf(backlog));
          else self.remove({ collection });
        }
      },
    });
  gauge(
    'outbox_pending_documents',
    'Documents with unpublished items, counted up to 10,000.',
    (b) => b.documents,
  );
  gauge('outbox_oldest_age_seconds', 'Age of the oldest unpublished item.', (b) => b.oldestAgeMs / 1_000);
  return {
    published: (collection: string, count: number) => published.inc({ collection }, count),
    unconfirmed: (collection: string, count: number) => unconfirmed.inc({ collection }, count),
    /** The current backlogs by collection, excluding those that cannot be read because the database is unavailable. */
    async backlogs() {
      const found = await Promise.all(
        [...backlogs].map(async ([collection, read]) => {
          const backlog = await read().catch(() => undefined);
          return backlog === undefined ? [] : [{ collection, ...backlog }];
        }),
      );
      return found.flat();
    },
    observeBacklog(collection: string, read: ReadBacklog) {
      const known = backlogs.get(collection);
      backlogs.set(collection, known ? together(known, shared(read)) : shared(read));
    },
  };
}
