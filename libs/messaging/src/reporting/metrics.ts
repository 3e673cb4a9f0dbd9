export type MessageKind = 'request' | 'reply' | 'command' | 'event' | 'retry' | 'pulse';

export type BrokerState = 'up' | 'blocked' | 'down';

/** Receives the metrics of messaging. Every member is optional; none may throw. */
export interface MessagingMetrics {
  /** One message with this many items was written to the socket. */
  published?(kind: MessageKind, queue: string, items: number): void;
  /** The broker's response to a message that required one. */
  confirmed?(kind: MessageKind, outcome: PublishOutcome, ms: number): void;
  /** Items received from a queue. */
  consumed?(queue: string, items: number): void;
  /** Items passed to a handler in one call. */
  batch?(type: string, items: number): void;
  /** A handler ended; the status is 200 for success. */
  handled?(type: string, status: number, ms: number): void;
  /** An RPC ended; the status is 200 for success. */
  asked?(type: string, status: number, ms: number): void;
  retried?(queue: string, attempt: number): void;
  deadLettered?(queue: string): void;
  state?(state: BrokerState): void;
}

/**
 * The result of publishing a message: stored in a queue; returned because no queue accepts it; rejected by the broker;
 * or unknown because there was no confirm before the channel was lost.
 */
export type PublishOutcome = 'confirmed' | 'returned' | 'refused' | 'unknown';
