import type { BatchHandler, Contract, Handler, Tracing } from '@receipts/kernel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import type { ReplySender } from '../outbound/reply-sender';
import type { Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import type { Topology } from '../topology/topology';
import type { TopologyNames } from '../topology/topology-names';
import type { RetryRouter } from './retry-router';

/** Maximum unacknowledged messages per consumer. */
export const prefetchMessages = 64;
/**
 * A message that was delivered this often may contain an item that kills its process, so its items are handled alone.
 */
export const deliveriesBeforeQuarantine = 2;
export const graceDefaultMs = 8_000;

/** A contract with its handler and the limits of its handling. */
export interface ServedContract {
  readonly contract: Contract;
  readonly handler: Handler | BatchHandler;
  readonly batchMax: number | undefined;
  readonly concurrency: number | undefined;
}

/** What consumers need of the broker. */
export interface Serving {
  readonly names: TopologyNames;
  readonly connection: SupervisedConnection;
  readonly topology: Topology;
  readonly replySender: ReplySender;
  readonly retries: RetryRouter;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
  /** How long a quarantined item may be handled before it is dead-lettered. */
  readonly quarantineTimeoutMs: number;
  /** See `BrokerOptions`. */
  readonly giveUp: (reason: Error) => void;
  readonly resubscribed: () => void;
}
