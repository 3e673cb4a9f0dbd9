/** Events that have not been published yet. */
export interface OutboxBacklog {
  /** Documents with unpublished events; the outbox relay stops counting at 10,000. */
  readonly documents: number;
  /** Age of the oldest unpublished event; 0 if there is none. */
  readonly oldestAgeMs: number;
}
