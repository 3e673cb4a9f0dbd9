import type { EventContract, EventOf, EventRecord } from '@receipts/kernel';

/** For each event, in the same order, why it failed; nothing when all succeeded. */
export type EventOutcomes = readonly (undefined | Error)[] | void;

/** The handler of some event contracts. */
export interface Subscription {
  readonly contracts: readonly EventContract[];
  readonly handle: (events: readonly EventRecord[]) => Promise<EventOutcomes>;
}

/**
 * Subscribes to one contract, or to several with a common handler. The handler receives batches in queue order, one
 * batch at a time, with events of several retailers. An event that it reports as failed is retried alone. It must be
 * idempotent, because delivery is at least once.
 */
export function on<E extends EventContract>(
  contracts: E | readonly E[],
  handle: (events: readonly EventOf<E>[]) => Promise<EventOutcomes>,
): Subscription {
  return {
    contracts: [contracts].flat(),
    // Safe: the subscriber dispatches by event type, and owners print events according to their contracts.
    handle: handle as Subscription['handle'],
  };
}
