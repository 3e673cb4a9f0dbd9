import type { EventRecord } from '@receipts/kernel';

/** The recipients of a retailer's events besides its feed. */
export interface EventReceivers {
  /** All retailers with receivers, each with the time of the first one. */
  begun(signal: AbortSignal): Promise<ReadonlyMap<string, Date>>;
  isAnyThere(signal: AbortSignal): Promise<boolean>;
  /** For those of these retailers that have receivers: delivers logged events to them. */
  of(
    retailers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, (events: readonly EventRecord[]) => Promise<void>>>;
  /** Removes receivers' answers to these events, because their consumer was erased. */
  eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
}
