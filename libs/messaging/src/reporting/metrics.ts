export type MessageKind = 'request' | 'reply' | 'command' | 'event' | 'retry';

export type BrokerState = 'up' | 'blocked' | 'down';

/** Where messaging reports its figures. Every member may be left out; none may throw. */
export interface MessagingMetrics {
  /** One message with so many items was handed to the socket. */
  published?(kind: MessageKind, queue: string, items: number): void;
  /** The broker's answer to a message that wanted one. */
  confirmed?(kind: MessageKind, outcome: PublishOutcome, ms: number): void;
  /** Items that arrived from a queue. */
  consumed?(queue: string, items: number): void;
  /** Items that a handler was given in one go. */
  batch?(type: string, items: number): void;
  /** A handler ended; the status is 200 for a success. */
  handled?(type: string, status: number, ms: number): void;
  /** An RPC ended; the status is 200 for a success. */
  asked?(type: string, status: number, ms: number): void;
  retried?(queue: string, attempt: number): void;
  parked?(queue: string): void;
  state?(state: BrokerState): void;
}

/**
 * What became of a message: in a queue and safe; sent back because no queue wants it; refused by the broker; or unknown,
 * because the connection was lost before the answer.
 */
export type PublishOutcome = 'confirmed' | 'returned' | 'refused' | 'unknown';
