import type { OutboxBacklog } from './outbox-backlog';

/** Receives the metrics of storage. */
export interface StorageMetrics {
  published(collection: string, count: number): void;
  unconfirmed(collection: string, count: number): void;
  /** Registers a function that is called for the current backlog whenever the metrics are scraped. */
  observeBacklog(collection: string, read: () => Promise<OutboxBacklog>): void;
}
