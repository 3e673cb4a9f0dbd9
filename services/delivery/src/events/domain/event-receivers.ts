import type { EventRecord } from '@receipts/kernel';

/** The numbers of events that the log of their retailer had already, by event id. */
export type EarlierNumbers = ReadonlyMap<string, number>;

export interface RetailerReceivers {
  /** Delivers logged events. */
  deliver(events: readonly EventRecord[], earlier: EarlierNumbers): Promise<void>;
}

/** The recipients of a retailer's events other than its feed. */
export interface EventReceivers {
  /** All retailers with receivers, each with the time at which its first receiver was created. */
  begun(signal: AbortSignal): Promise<ReadonlyMap<string, Date>>;
  /** The receivers of these retailers. */
  of(retailers: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, RetailerReceivers>>;
  /** When the oldest event occurred that has not been delivered to every receiver; the log keeps it. */
  oldestPending(retailer: string, signal: AbortSignal): Promise<Date | undefined>;
  /** Removes receivers' responses to these events, because their consumer was erased. */
  eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
}
