import { dataOf } from './api-error';
import type { ReceiptsClient } from './client';
import type { components } from './generated/events';

type Schemas = components['schemas'];

/** The type of an event, such as `receipt.created`. */
export type EventType = Extract<keyof Schemas, `${string}.${string}`>;
/** A CloudEvent as received from the broker or the feed. `type` distinguishes the kinds. */
export type ReceiptsEvent<T extends EventType = EventType> = { [K in T]: Schemas[K] }[T];

/** Events in order, and the cursor to continue from once they have been processed. */
export interface EventPage {
  readonly events: readonly ReceiptsEvent[];
  readonly cursor: string;
}

export interface FollowOptions {
  /** The cursor of an earlier page; if absent, the feed starts now. */
  readonly cursor?: string | undefined;
  /**
   * Types, or globs such as `receipt.*`; all types if missing. Sent only with the first request, because cursors
   * contain them.
   */
  readonly types?: readonly string[];
  /** How long one request waits for an event, in seconds, at most 30. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

const waitSecondsMax = 30;

/**
 * The event feed: every event once and in order, for as long as the loop runs. The first page has no events and
 * only returns the current position. Store the cursor of a page after processing its events.
 * @throws ApiError with the code `cursor_expired` if the cursor is older than the retention period (30 days)
 */
export async function* followEvents(
  client: ReceiptsClient,
  { cursor, types, waitSeconds = waitSecondsMax, signal }: FollowOptions = {},
): AsyncGenerator<EventPage, void, undefined> {
  const start = types === undefined ? {} : { types: [...types] };
  for (let at = cursor; ;) {
    const position = at === undefined ? start : Object.fromEntries(new URLSearchParams(at));
    // The first page returns the current position without waiting.
    const query = { ...position, ...(at !== undefined && { wait: waitSeconds }) };
    const { events, _links } = await dataOf(
      client.GET('/events', { params: { query }, ...(signal && { signal }) }),
    );
    const { searchParams } = new URL(_links.next.href, 'http://localhost');
    searchParams.delete('wait');
    const next = searchParams.toString();
    if (events.length > 0 || at === undefined) yield { events: events as ReceiptsEvent[], cursor: next };
    at = next;
  }
}
