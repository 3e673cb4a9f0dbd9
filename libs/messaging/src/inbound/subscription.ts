import type { EventContract, EventOf, EventRecord } from '@receipts/kernel';

/** For each event, in the same order, why it failed; nothing when all went well. */
export type EventOutcomes = readonly (undefined | Error)[] | void;

/** What a service does when it hears of something. */
export interface Subscription {
  readonly contracts: readonly EventContract[];
  readonly handle: (events: readonly EventRecord[]) => Promise<EventOutcomes>;
}

/**
 * Subscribes to one contract, or to several that have one handler. The handler gets what is at hand, of several retailers, in
 * the order of the queue, and one batch at a time; an event that it names as failed is tried again by itself. It must be
 * idempotent: delivery is at least once.
 */
export function on<E extends EventContract>(
  contracts: E | readonly E[],
  handle: (events: readonly EventOf<E>[]) => Promise<EventOutcomes>,
): Subscription {
  return {
    contracts: [contracts].flat(),
    // The type of each message was compared with those of the contracts, and their owners print by them.
    handle: handle as Subscription['handle'],
  };
}
