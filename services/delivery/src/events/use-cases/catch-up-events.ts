import { foundEventsMax, publishedPageMax } from '@receipts/contracts';
import { serviceCall, type EventRecord } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import {
  GapRecovery,
  databaseTimeout,
  type CatchUpItem,
  type GapRecoveryOptions,
  type PublishedEntry,
} from '@receipts/storage';
import { eventOwners } from '../domain/event-owners';
import type { Webhooks } from '../domain/webhooks';
import type { EventLog } from '../storage/event-log';

type Entry = PublishedEntry & CatchUpItem;

export interface CatchUpEventsDependencies extends Pick<
  GapRecoveryOptions<Entry>,
  'cursors' | 'lease' | 'log'
> {
  readonly ask: Broker['ask'];
  /** The retailers with a feed or webhooks, each with a start time; earlier events are not needed. */
  readonly listeners: () => Promise<ReadonlyMap<string, Date>>;
  readonly eventLog: Pick<EventLog, 'known'>;
  /** Handles events in the same way as those that arrive from the broker. */
  readonly record: (events: readonly EventRecord[]) => Promise<readonly (Error | undefined)[]>;
  readonly createDeliveries: Webhooks['createDeliveries'];
  readonly delayMs?: number | undefined;
  readonly now: () => Date;
}

/** There is a cursor for each retailer and owner. */
const printKey = (retailer: string, owner: string) => `${retailer}|${owner}`;
function readKey(key: string) {
  const [retailer = '', owner = ''] = key.split('|');
  const contracts = eventOwners[owner];
  if (!contracts) throw new Error(`${owner} does not publish events`);
  return { retailer, owner, ...contracts };
}

/** Longer than owners hold back events that may still be in transit. */
const delayMsDefault = 5_000;
/**
 * The maximum age of a lost event that is still delivered. The log keeps events for longer, so a younger event that is
 * missing from it never arrived.
 */
export const lateEventMaxMs = 24 * 60 * 60_000;

/** Fetches events that never arrived, for the feed and for webhooks: the broker may have lost them. */
export function catchUpEvents(deps: CatchUpEventsDependencies): GapRecovery<Entry> {
  const { ask, listeners, eventLog, record, createDeliveries, now, delayMs = delayMsDefault, ...rest } = deps;
  const callFor = (retailer: string) => serviceCall('delivery', Date.now(), retailer);
  let since: ReadonlyMap<string, Date> = new Map();

  const isWanted = (retailer: string, time: string): boolean => {
    const from = since.get(retailer);
    const at = new Date(time).getTime();
    return from !== undefined && at >= from.getTime() && at >= now().getTime() - lateEventMaxMs;
  };

  return new GapRecovery<Entry>({
    ...rest,
    delayMs,
    now,
    name: 'events for integrators',
    async *retailers() {
      since = await listeners();
      yield [...since.keys()].flatMap((id) => Object.keys(eventOwners).map((owner) => printKey(id, owner)));
    },
    ownerOf: (key) => readKey(key).owner,
    async read(key, { after }) {
      const { retailer, list } = readKey(key);
      const body = { after, count: publishedPageMax };
      const page = (await ask(list, { body }, callFor(retailer))).body;
      return { ...page, changes: page.entries };
    },
    async apply(key, entries) {
      const { retailer, find } = readKey(key);
      const wanted = entries.filter(({ at }) => isWanted(retailer, at));
      const ids = wanted.flatMap(({ events }) => events);
      const known = await eventLog.known(retailer, ids, databaseTimeout());
      const lost = wanted.filter(({ events }) => events.some((id) => !known.has(id)));
      const things = [...new Set(lost.map(({ id }) => id))];
      for (let n = 0; n < things.length; n += foundEventsMax) {
        const body = { ids: things.slice(n, n + foundEventsMax) };
        const answer = await ask(find, { body }, callFor(retailer));
        const events = answer.body.events.filter(
          ({ id, time }) => !known.has(id) && isWanted(retailer, time),
        );
        const fault = (await record(events)).find((outcome) => outcome !== undefined);
        if (fault) throw fault;
      }
      // A process may have crashed after it had logged an event, before it created the deliveries.
      await createDeliveries(retailer);
    },
  });
}
