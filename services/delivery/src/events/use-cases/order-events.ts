import { foundEventsMax } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { serviceCall, type EventRecord } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { databaseTimeout, toUnavailableError } from '@receipts/storage';
import { ownerOfEvent } from '../domain/event-owners';
import { rankOf, streamOf } from '../domain/event-stream';
import type { EventLog } from '../storage/event-log';

export interface OrderEventsDependencies {
  readonly eventLog: Pick<EventLog, 'withPredecessor' | 'known'>;
  readonly ask: Broker['ask'];
  /** When a retailer's events began to be recorded. Earlier events are not recorded. */
  readonly recordedSince: (retailer: string) => Promise<Date | undefined>;
}

export interface OrderedEvents {
  /** Each subject's events sorted by `sequence`, including earlier events that had not arrived. */
  readonly events: readonly EventRecord[];
  /** Why an event cannot be recorded yet, by event id: its owner cannot return the earlier events. */
  readonly failures: ReadonlyMap<string, Error>;
}

const byRank = (a: EventRecord, b: EventRecord) => (rankOf(a) < rankOf(b) ? -1 : 1);

/** Keeps only events that belong in the log and are missing from it. */
async function unrecorded(
  { eventLog, recordedSince }: OrderEventsDependencies,
  retailer: string,
  events: readonly EventRecord[],
): Promise<EventRecord[]> {
  if (events.length === 0) return [];
  const since = (await recordedSince(retailer))?.getTime() ?? Infinity;
  const recorded = events.filter(({ time }) => Date.parse(time) >= since);
  const ids = recorded.map(({ id }) => id);
  const known = await eventLog.known(retailer, ids, databaseTimeout());
  return recorded.filter(({ id }) => !known.has(id));
}

/** The events whose subject's previous event is missing from the list. */
const gapsIn = (events: readonly EventRecord[]): EventRecord[] =>
  [...groupBy(events, streamOf).values()].flatMap((stream) =>
    stream.filter(({ sequence }) => sequence > 1 && !stream.some((other) => other.sequence === sequence - 1)),
  );

/** Requests the events before these from their owners. Failures are keyed by stream. */
async function fetchEarlier(deps: OrderEventsDependencies, retailer: string, gaps: readonly EventRecord[]) {
  const earlier: EventRecord[] = [];
  const failures = new Map<string, Error>();
  for (const [type, ofType] of groupBy(gaps, ({ type }) => type)) {
    const { find } = ownerOfEvent(type);
    for (let n = 0; n < ofType.length; n += foundEventsMax) {
      const some = ofType.slice(n, n + foundEventsMax);
      const ids = [...new Set(some.map(({ subject }) => subject))];
      try {
        const call = serviceCall('delivery', Date.now(), retailer);
        const { events } = (await deps.ask(find, { body: { ids } }, call)).body;
        const precedes = (gap: EventRecord, event: EventRecord) =>
          event.sequence < gap.sequence && streamOf(event) === streamOf(gap);
        earlier.push(...events.filter((event) => some.some((gap) => precedes(gap, event))));
      } catch (error) {
        for (const gap of some) failures.set(streamOf(gap), toUnavailableError(error) ?? (error as Error));
      }
    }
  }
  return { earlier: await unrecorded(deps, retailer, earlier), failures };
}

/**
 * Sorts each subject's events by `sequence`. An event can arrive before an earlier event of its subject, because that
 * event was not confirmed at first, is waiting for its next attempt, or is being handled by another process. Owners store
 * an event before they publish a later event of the same subject, so missing events are requested from the owners.
 */
export function orderEvents(deps: OrderEventsDependencies) {
  return async (retailer: string, events: readonly EventRecord[]): Promise<OrderedEvents> => {
    const gaps = gapsIn(events);
    const complete =
      gaps.length > 0 ? await deps.eventLog.withPredecessor(retailer, gaps, databaseTimeout()) : new Set();
    const open = gaps.filter(({ id }) => !complete.has(id));
    const { earlier, failures } = await fetchEarlier(deps, retailer, open);
    const all = new Map([...events, ...earlier].map((event) => [event.id, event]));
    const streams = groupBy([...all.values()], streamOf);
    return {
      events: [...streams].flatMap(([stream, own]) => (failures.has(stream) ? [] : own.sort(byRank))),
      failures: new Map(
        events.flatMap((event) => {
          const failure = failures.get(streamOf(event));
          return failure ? [[event.id, failure] as const] : [];
        }),
      ),
    };
  };
}
