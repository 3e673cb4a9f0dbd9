import {
  adminContracts,
  adminEvents,
  deliveryContracts,
  identifierContracts,
  identifierEvents,
  ingestContracts,
  ingestEvents,
  receiptStoreContracts,
  receiptStoreEvents,
  republishedMax,
} from '@receipts/contracts';
import { serviceCall, type EventContract, type EventRecord } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { databaseTimeoutMs, toUnavailableError } from '@receipts/storage';
import { orderingKeyOf } from '../domain/ordering-key';
import type { EventLog } from '../storage/event-log';
import { groupBy } from '../../domain/group-by';

export interface OrderEventsParts {
  readonly eventLog: Pick<EventLog, 'withPredecessor' | 'known'>;
  readonly ask: Broker['ask'];
  /** When a retailer's events began to be recorded. Earlier events are not recorded. */
  readonly recordedSince: (retailer: string) => Promise<Date | undefined>;
}

export interface OrderedEvents {
  /** Each subject's events in the order of `sequence`, with earlier ones that had not arrived. */
  readonly events: readonly EventRecord[];
  /** Why an event cannot be recorded yet, keyed by event id: its owner cannot be asked for the earlier ones. */
  readonly failures: ReadonlyMap<string, Error>;
}

type EventGroup = Readonly<Record<string, EventContract>>;
const owners: readonly (readonly [EventGroup, typeof deliveryContracts.republishEvents])[] = [
  [receiptStoreEvents, receiptStoreContracts.republishEvents as never],
  [ingestEvents, ingestContracts.republishEvents as never],
  [identifierEvents, identifierContracts.republishEvents as never],
  [adminEvents, adminContracts.republishEvents as never],
];
const ownerOf = (type: string) =>
  owners.find(([events]) => Object.values(events).some((event) => event.type === type))?.[1] ??
  deliveryContracts.republishEvents;

const streamOf = (event: EventRecord) => orderingKeyOf(event).stream;
const byRank = (a: EventRecord, b: EventRecord) => (orderingKeyOf(a).rank < orderingKeyOf(b).rank ? -1 : 1);
const budget = () => AbortSignal.timeout(databaseTimeoutMs);

/**
 * Puts the events of a retailer in the order of each subject's `sequence`. An event can arrive before an earlier one of
 * its subject: that one was not confirmed at first, waits for its next attempt, or is with another process. Owners keep
 * an event before they publish a later one of the same subject, so they are asked for what is missing.
 */
export function orderEvents({ eventLog, ask, recordedSince }: OrderEventsParts) {
  /** Only events that belong into the log and are not in it. */
  const unrecorded = async (retailer: string, events: readonly EventRecord[]): Promise<EventRecord[]> => {
    if (events.length === 0) return [];
    const since = (await recordedSince(retailer))?.getTime() ?? Infinity;
    const recorded = events.filter(({ time }) => Date.parse(time) >= since);
    const known = await eventLog.known(
      retailer,
      recorded.map(({ id }) => id),
      budget(),
    );
    return recorded.filter(({ id }) => !known.has(id));
  };

  const fetchEarlier = async (retailer: string, gaps: readonly EventRecord[]) => {
    const earlier: EventRecord[] = [];
    const failures = new Map<string, Error>();
    for (const [type, ofType] of groupBy(gaps, ({ type }) => type)) {
      for (let n = 0; n < ofType.length; n += republishedMax) {
        const some = ofType.slice(n, n + republishedMax);
        const ids = [...new Set(some.map(({ subject }) => subject))];
        try {
          const call = serviceCall('delivery', Date.now(), retailer);
          const { events } = (await ask(ownerOf(type), { body: { ids } }, call)).body;
          for (const gap of some) {
            const stream = streamOf(gap);
            earlier.push(
              ...events.filter((event) => event.sequence < gap.sequence && streamOf(event) === stream),
            );
          }
        } catch (error) {
          for (const gap of some) failures.set(streamOf(gap), toUnavailableError(error) ?? (error as Error));
        }
      }
    }
    return { earlier: await unrecorded(retailer, earlier), failures };
  };

  return async (retailer: string, events: readonly EventRecord[]): Promise<OrderedEvents> => {
    const gaps = [...groupBy(events, streamOf).values()].flatMap((stream) =>
      stream.filter(
        ({ sequence }) => sequence > 1 && !stream.some((other) => other.sequence === sequence - 1),
      ),
    );
    const complete = gaps.length > 0 ? await eventLog.withPredecessor(retailer, gaps, budget()) : new Set();
    const open = gaps.filter(({ id }) => !complete.has(id));
    const { earlier, failures } =
      open.length > 0 ? await fetchEarlier(retailer, open) : { earlier: [], failures: new Map() };
    const all = new Map([...events, ...earlier].map((event) => [event.id, event]));
    const streams = groupBy([...all.values()], streamOf);
    return {
      events: [...streams].flatMap(([stream, own]) => (failures.has(stream) ? [] : own.sort(byRank))),
      failures: new Map(
        events.flatMap((event) => {
          const failure = failures.get(streamOf(event)) as Error | undefined;
          return failure ? [[event.id, failure] as const] : [];
        }),
      ),
    };
  };
}
