import type { EventRecord } from '@receipts/kernel';

/** Who wants the events of a retailer besides its feed. */
export interface EventReceivers {
  /** All retailers with receivers, with the time since when. */
  begun(signal: AbortSignal): Promise<ReadonlyMap<string, Date>>;
  isAnyThere(signal: AbortSignal): Promise<boolean>;
  /** For those of these retailers that have receivers: delivers logged events to them. */
  of(
    retailers: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, (events: readonly EventRecord[]) => Promise<void>>>;
  /** Removes what receivers answered to these events, because their consumer was erased. */
  eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
}
