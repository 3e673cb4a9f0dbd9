import {
  cursorExpired,
  globMatches,
  integratorEvents,
  isKnownEventGlob,
  unknownCursorIn,
} from '@receipts/contracts';
import { invalidParameters, ServiceError, wording } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { cursorOf, readCursor, type EventCursor } from '../domain/event-cursor';
import type { EventFeeds } from '../storage/event-feeds';
import type { EventLog, LogPosition } from '../storage/event-log';

export interface FeedDependencies {
  readonly feeds: EventFeeds;
  readonly eventLog: EventLog;
  readonly listen: (options: { readonly isNew: boolean }) => Promise<void>;
  readonly now: () => Date;
}

const countDefault = 100;
/** The number of events that one call examines for the requested types. The next call continues from there. */
const scanMax = 10_000;

function typesOf(globs: readonly string[] | undefined): readonly string[] | undefined {
  if (!globs) return undefined;
  if (!globs.every(isKnownEventGlob)) {
    throw invalidParameters([{ path: '/types', code: 'unknown_event_type', message: wording.eventType }]);
  }
  return integratorEvents
    .map(({ type }) => type)
    .filter((type) => globs.some((glob) => globMatches(glob, type)));
}

/** Reads after a cursor. If there is no cursor, starts at the end, and starts the recording if necessary. */
export function listEvents(deps: FeedDependencies): HandlerOf<'listEvents'> {
  return async ({ query }, call) => {
    const { retailer } = call;
    const { count = countDefault } = query;
    const { feeds, eventLog } = deps;
    const types = typesOf(query.types);
    const after = query.after === undefined ? undefined : readCursor(query.after);
    if (query.after !== undefined && !after) throw unknownCursorIn('after');
    const { recording, isNew } = await feeds.read(retailer, deps.now(), deadlineSignal(call));
    await deps.listen({ isNew });
    // A call that starts the recording may have waited seconds for the queue, so it needs a new signal.
    const signal = deadlineSignal(call);
    const last = await eventLog.last(retailer, signal);
    if (after) await checkCursor(after, { recording, last: last.position }, retailer, eventLog, signal);
    const from: LogPosition = after ?? last;
    const upTo = Math.min(last.position, from.position + scanMax);
    const found = await eventLog.between(retailer, from.position, upTo, { types, count }, signal);
    const end = found.at(-1);
    const position = end && found.length === count ? end.position : upTo;
    const known = [from, last, ...(end ? [{ position: end.position, id: end._id }] : [])];
    const id =
      known.find((place) => place.position === position)?.id ??
      (await eventLog.idAt(retailer, position, signal));
    if (id === undefined) throw new ServiceError(cursorExpired);
    const next = cursorOf({ recording, position, id });
    return {
      body: bodyOf(
        found.map(({ text }) => text),
        hrefOf(next, query),
      ),
      // Only a reader that has reached the end waits for new events; others get their response immediately.
      meta: { isEmpty: found.length === 0 && position === last.position, after: next },
    };
  };
}

/** @throws ServiceError 410 if events after the cursor were deleted because of their age, or were lost */
async function checkCursor(
  { recording, position, id }: EventCursor,
  now: { readonly recording: string; readonly last: number },
  retailer: string,
  eventLog: EventLog,
  signal: AbortSignal,
): Promise<void> {
  if (recording !== now.recording || position > now.last) throw new ServiceError(cursorExpired);
  const present = position === 0 ? undefined : await eventLog.idAt(retailer, position, signal);
  if (present === id) return;
  if (present !== undefined) throw new ServiceError(cursorExpired);
  // The event itself may have been deleted because of its age, as long as the events after it still exist.
  const first = await eventLog.firstPosition(retailer, signal);
  if (first !== undefined && position < first - 1) throw new ServiceError(cursorExpired);
}

function hrefOf(
  after: string,
  query: { types?: readonly string[] | undefined; wait?: number | undefined; count?: number | undefined },
): string {
  const parameters = new URLSearchParams({ after });
  if (query.types) parameters.set('types', query.types.join(','));
  if (query.wait !== undefined) parameters.set('wait', String(query.wait));
  if (query.count !== undefined) parameters.set('count', String(query.count));
  return `/events?${parameters.toString()}`;
}

/** The events are stored as JSON. */
function bodyOf(texts: readonly string[], href: string): Buffer {
  return Buffer.from(`{"events":[${texts.join(',')}],"_links":{"next":{"href":${JSON.stringify(href)}}}}`);
}
