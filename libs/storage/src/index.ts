export { connectDatabase } from './connect-database';
export type { Database, DatabaseOptions } from './connect-database';
export { openCollection } from './collection';
export type { CollectionDeclaration, IndexDeclaration } from './collection';
export {
  deadlineSignal,
  guarded,
  isDuplicateKey,
  storageFault,
  databaseTimeoutMs,
  writeErrorsByIndex,
} from './faults';
export { guardEvents, guardHandlers } from './guard-handlers';
export { insertDocuments, insertError } from './insert-documents';
export type { InsertFailure, InsertOptions } from './insert-documents';
export { commandItem, outboxIndex, eventOfItem, outboxItem, outboxItemsMax, pendingFilter } from './outbox';
export type { CommandItem, EventItem, OutboxItem, WithOutbox } from './outbox';
export { createRelay } from './relay';
export type { NudgeEntry, Publish, Relay, RelayOptions } from './relay';
export { createArrivalRelay } from './arrival-relay';
export type { ArrivalRelay, ArrivalRelayOptions } from './arrival-relay';
export type { Place } from './place';
export type { Head } from './arrival-sweep';
export { markWalk } from './mark-walk';
export type { MarkDocument } from './marks';
export { CatchUp } from './catch-up';
export type { Arrival, CatchUpOptions, ChangesPage, PlaceDocument, Witness } from './catch-up';
export { claimInTurn, dueInTurnIndex } from './claim-in-turn';
export type { Turn } from './claim-in-turn';
export { DueWork, dueWorkParallelMax } from './due-work';
export type { DueWorkOptions } from './due-work';
export { lease, leaseCollection } from './lease';
export type { Lease, LeaseDocument } from './lease';
export { migrationCollection, Migrations } from './migrations';
export type { Migration, MigrationDocument, MigratePage } from './migrations';
export { readModel } from './read-model';
export type { ReadModel, ReadModelDocument, ReadModelOptions, Versioned } from './read-model';
export { idempotencyCollection } from './idempotency-records';
export type { IdempotencyRecord, IdempotentOptions } from './idempotency-records';
export { withIdempotencyKeys } from './idempotent';
export { isRepetition, requestKeyOf } from './request-key';
export { updateVersioned } from './update-versioned';
export type { Aggregate, Decision, VersionedUpdate } from './update-versioned';
export { VersionedChanges } from './versioned-changes';
export type { Change, Changed, VersionedChangesOptions } from './versioned-changes';
export { canonicalJson, fingerprint } from './canonical-json';
export type { Fingerprinted } from './canonical-json';
export type { Backlog, StorageMetrics } from './ports';
export { onTheWayMs, tellingAgain, unsettledMs } from './telling-again';
export type { Told, ToldPage, ToldSource } from './telling-again';
export { ToldEvents, toldEventsCollection } from './told-events';
export type { ToldEvent } from './told-events';
