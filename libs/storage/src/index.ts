export { appendNumbered } from './append-numbered';
export { connectDatabase } from './connect-database';
export type { Database, DatabaseOptions } from './connect-database';
export type { CollectionDeclaration, CommitQuorum, IndexDeclaration } from './collection';
export {
  deadlineSignal,
  majorityRead,
  withStorageErrors,
  isDuplicateKey,
  toUnavailableError,
  databaseTimeout,
  databaseTimeoutMs,
  duplicatesIn,
  writeErrorsByIndex,
} from './faults';
export { forgetReplies, idempotencyCollection, withIdempotencyKeys } from './idempotency/idempotent';
export type { IdempotencyRecord } from './idempotency/idempotent';
export {
  canonicalJson,
  fingerprint,
  isKeyExpired,
  isRepetition,
  keyKeptMs,
  requestKeyOf,
} from './idempotency/request-key';
export { insertDocuments, insertError } from './insert-documents';
export type { InsertFailure } from './insert-documents';
export { outboxIndex, eventOfItem, outboxItem, outboxItemsMax, pendingFilter } from './outbox';
export type { OutboxItem, WithOutbox } from './outbox';
export { OutboxRelay } from './outbox-relay';
export type { OutboxRelayOptions } from './outbox-relay';
export type { Publish } from './publish-queue';
export { CreatedEventRelay } from './created-event-relay';
export type { CreatedEventRelayOptions } from './created-event-relay';
export type { Head } from './created-event-sweep';
export type { WatermarkDocument } from './watermarks';
export { GapRecovery } from './gap-recovery';
export type {
  CatchUpItem,
  GapRecoveryOptions,
  ChangesPage,
  CursorDocument,
  RebuildMarker,
} from './gap-recovery';
export { claimRoundRobin, dueRoundRobinIndex } from './claim-round-robin';
export type { ClaimOrder } from './claim-round-robin';
export { DueWork, dueWorkParallelMax } from './due-work';
export type { DueWorkOptions } from './due-work';
export { lease, leaseCollection } from './lease';
export type { Lease, LeaseDocument } from './lease';
export { updateVersioned } from './update-versioned';
export type { Aggregate, Decision } from './update-versioned';
export { BatchedUpdates } from './batched-updates';
export type { Change, Changed } from './batched-updates';
export type { OutboxBacklog, StorageMetrics } from './ports';
export { inTransitMs, publishedEventHandlers, cursorOverlapMs } from './published-event-handlers';
export type { PublishedEntry, PublishedPage, PublishedEventSource } from './published-event-handlers';
export { KeptEvents, keptEventsCollection } from './kept-events';
export type { KeptEvent } from './kept-events';
