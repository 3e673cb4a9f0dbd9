/** Events that have not been published yet. */
export interface OutboxBacklog {
  /** Documents with unpublished events; the outbox relay stops counting at 10,000. */
  readonly documents: number;
  /** Age of the oldest unpublished event; 0 if there is none. */
  readonly oldestAgeMs: number;
}

/** Receives the metrics of storage. */
export interface StorageMetrics {
  published(collection: string, count: number): void;
  unconfirmed(collection: string, count: number): void;
  /** Registers a function that is called for the current backlog whenever the metrics are scraped. */
  observeBacklog(collection: string, read: () => Promise<OutboxBacklog>): void;
}
