/** What storage needs of a log; the host's logger fits. */
export interface Log {
  debug(msg: string, fields?: Readonly<Record<string, unknown>>): void;
  info(msg: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(msg: string, fields?: Readonly<Record<string, unknown>>): void;
  error(msg: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What is known of the events of a collection that are not yet published. */
export interface Backlog {
  /** Documents with a pending outbox; counted up to a bound. */
  readonly documents: number;
  /** Age of the oldest pending item; 0 when there is none. */
  readonly oldestAgeMs: number;
}

/** Where storage reports its figures; the host's `storageMetrics` fits. */
export interface StorageMetrics {
  published(collection: string, count: number): void;
  unconfirmed(collection: string, count: number): void;
  /** Hands over a way to ask for the backlog whenever somebody looks at the metrics. */
  observeBacklog(collection: string, read: () => Promise<Backlog>): void;
}
