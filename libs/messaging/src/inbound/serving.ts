import type { BatchHandler, Contract, Handler } from '@receipts/kernel';
import type { ReplySender } from '../outbound/reply-sender';
import type { BrokerContext } from '../topology/broker-context';
import type { Topology } from '../topology/topology';
import type { RetryRouter } from './retry-router';

export const graceDefaultMs = 8_000;

/** A contract with its handler and the limits of its handling. */
export interface ServedContract {
  readonly contract: Contract;
  readonly handler: Handler | BatchHandler;
  readonly batchMax: number | undefined;
  readonly concurrency: number | undefined;
}

/** What consumers need of the broker. */
export interface Serving extends BrokerContext {
  readonly topology: Topology;
  readonly replySender: ReplySender;
  readonly retries: RetryRouter;
  /** How long a quarantined item may be handled before it is dead-lettered. */
  readonly quarantineTimeoutMs: number;
  /** See `BrokerOptions`. */
  readonly giveUp: (reason: Error) => void;
  /** Called when a queue is consumed again after an interruption. */
  readonly resubscribed: () => void;
}
