import { dataOf } from './api-error';
import type { ReceiptsClient } from './client';
import type { components } from './generated/events';

type Schemas = components['schemas'];

/** The type of an event, such as `receipt.created`. */
export type EventType = Extract<keyof Schemas, `${string}.${string}`>;
/** A CloudEvent as it comes from the broker or the feed. `type` tells the kinds apart. */
export type ReceiptsEvent<T extends EventType = EventType> = { [K in T]: Schemas[K] }[T];

/** Events in their order, and the place to go on from once they have been dealt with. */
export interface EventPage {
  readonly events: readonly ReceiptsEvent[];
  readonly cursor: string;
}

export interface FollowOptions {
  /** Where to begin: the cursor of an earlier page; from now on without one. */
  readonly cursor?: string | undefined;
  /** Types, or globs such as `receipt.*`; all without. Asked for at the beginning only, a cursor remembers them. */
  readonly types?: readonly string[];
  /** How long one request waits for an event, at most 30. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

const waitSecondsMax = 30;

/**
 * The feed of events: every event once and in its order, for as long as the loop goes on. The first page, without events,
 * only says where the feed stands. Keep the cursor of a page after its events have been dealt with.
 * @throws ApiError with the code `cursor_expired` when the cursor is older than what is kept (30 days)
 */
export async function* followEvents(
  client: ReceiptsClient,
  { cursor, types, waitSeconds = waitSecondsMax, signal }: FollowOptions = {},
): AsyncGenerator<EventPage, void, undefined> {
  const start = types === undefined ? {} : { types: [...types] };
  for (let at = cursor; ;) {
    const place = at === undefined ? start : Object.fromEntries(new URLSearchParams(at));
    // The first page says where the feed stands: nothing is waited for.
    const query = { ...place, ...(at !== undefined && { wait: waitSeconds }) };
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
