/**
 * What the event log needs of the webhooks. An interface, because the webhooks read the log: otherwise, the two modules would
 * import each other.
 */
export interface Webhooks {
  /** All retailers with endpoints, each with the time at which its first endpoint was created. */
  begun(signal: AbortSignal): Promise<ReadonlyMap<string, Date>>;
  /** Those of these retailers that have endpoints. */
  retailersAmong(retailers: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Stores a delivery to each endpoint that subscribes to one of the retailer's logged events, in the order of the log.
   * Sending them comes later. Continues where an earlier call stopped or failed.
   */
  createDeliveries(retailer: string): Promise<void>;
  /** When the oldest event occurred that is still to be delivered to an endpoint; the log keeps it. */
  oldestPending(retailer: string, signal: AbortSignal): Promise<Date | undefined>;
  /** Removes endpoints' responses to these events, because their consumer was erased. */
  eraseResponses(retailer: string, eventIds: readonly string[], signal: () => AbortSignal): Promise<void>;
}
