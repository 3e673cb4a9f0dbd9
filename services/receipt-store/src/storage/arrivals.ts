import type { Collection } from 'mongodb';
import type { ReturnedReceipt } from '@receipts/contracts';
import { type EventOrigin, type SerializedEvent, type TimeLimit } from '@receipts/kernel';
import type { SearchDocument } from '@receipts/search-language';
import {
  CreatedEventRelay,
  databaseTimeoutMs,
  majorityRead,
  type CreatedEventRelayOptions,
  type CollectionDeclaration,
  type Head,
  type WatermarkDocument,
} from '@receipts/storage';
import type { Vocabulary } from '@receipts/search';
import { receiptIndexes, type Creation, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import { checkFailedEvents, createdEvents } from './receipt-event';
import type { Receipts } from './receipts';

/** The last receipt of each retailer whose events have been published. */
export const eventWatermarksCollection: CollectionDeclaration = { name: 'event_watermarks', indexes: [] };

/** The source of a new receipt's events. Deleted receipts and tombstones have no such events. */
export interface EventSource extends Pick<ReceiptDocument, 'retailer' | 'arrival' | 'version'> {
  readonly created?: Creation;
  readonly text?: string;
  /** The parsed text, if the caller has it already. */
  readonly receipt?: ReturnedReceipt;
}

/** The fields that link a new receipt with related receipts. */
export type Linkable = Pick<
  ReceiptDocument,
  '_id' | 'retailer' | 'transaction_id' | 'related' | 'may_be_awaited'
>;

/** A new receipt. */
export interface Arrived extends EventSource, Linkable {
  readonly search?: SearchDocument;
}

export interface ArrivalsDependencies {
  readonly collection: Collection<StoredReceipt>;
  readonly watermarks: Collection<WatermarkDocument>;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
  /** The ids of all retailers. */
  readonly retailers: () => readonly string[];
  readonly vocabulary: Pick<Vocabulary, 'learn'>;
  readonly link: LinkRelated;
  readonly relay: Pick<CreatedEventRelayOptions<Arrived>, 'publish' | 'lease' | 'log' | 'metrics'>;
}

/** The number of retailers that are checked concurrently for receipts left by crashed processes. */
const headsAtOnceMax = 20;
const projection = {
  transaction_id: 1,
  related: 1,
  may_be_awaited: 1,
  retailer: 1,
  arrival: 1,
  version: 1,
  created: 1,
  text: 1,
  search: 1,
} as const;

/** Shorter than the time after which the sweep takes over. What is linked by then remains so. */
const linkMsMax = 2_000;

/**
 * Fills in the ids of related receipts, both in new receipts and in those that wait for them. Returns the current versions
 * of the receipts that waited, by id.
 */
export type LinkRelated = (
  arrived: readonly Linkable[],
  timeLimit: TimeLimit,
) => Promise<ReadonlyMap<string, number>>;

export function createdOrigin({
  created,
  retailer,
}: Pick<EventSource, 'created' | 'retailer'>): EventOrigin | undefined {
  if (!created) return undefined;
  const { event, at, request, cause, trace } = created;
  const traced = trace === undefined ? {} : { traceparent: trace };
  return { id: event, at, retailer, requestId: request, causationId: cause, ...traced };
}

/** Empty if a later change has already published the events, see `unpublishedEvents`. */
function eventsOf(arrived: EventSource): SerializedEvent[] {
  const { arrival, version, text, receipt, created } = arrived;
  const origin = createdOrigin(arrived);
  if (version !== 1 || text === undefined || !origin) return [];
  const parsed = receipt ?? (JSON.parse(text) as ReturnedReceipt);
  return [
    ...createdEvents(parsed, text, origin, arrival, created?.confinedTo),
    ...checkFailedEvents(parsed, created, origin),
  ];
}

/**
 * What remains to be done for stored receipts: they are linked with related receipts, their words are added to the
 * vocabulary for fuzzy search, and their events, which are generated from the receipts themselves, are published. A
 * retailer's watermark moves past a receipt when all this is done. The sweep does it for receipts that a process has left
 * because it failed or crashed.
 */
export class Arrivals {
  readonly relay: CreatedEventRelay<Arrived>;

  constructor(private readonly deps: ArrivalsDependencies) {
    const { watermarks, relay } = deps;
    this.relay = new CreatedEventRelay<Arrived>({
      ...relay,
      name: 'receipts',
      watermarks,
      createdAt: ({ created }) => created?.at,
      bytesOf: ({ text = '' }) => 3 * text.length,
      eventsOf,
      prepare: async (arrived) => this.learn(await this.link(arrived)),
      readAfter: (retailer, arrival, countMax) => this.readAfter(retailer, arrival, countMax),
      headPages: () => this.headPages(),
      lastOf: (retailer) => this.lastOf(retailer),
    });
  }

  /** Resolves when the receipts are linked or left to the sweep. Their words and events follow. */
  async add(arrived: readonly Arrived[]): Promise<void> {
    try {
      this.relay.enqueueWhen(this.learn(await this.link(arrived)));
    } catch (error) {
      this.deps.relay.log.warn('new receipts could not be linked yet', { count: arrived.length, error });
    }
  }

  private async link(arrived: readonly Arrived[]): Promise<readonly Arrived[]> {
    const versions = await this.deps.link(arrived, { deadline: Date.now() + linkMsMax });
    if (versions.size === 0) return arrived;
    // The first events of a receipt that was linked are in the outbox of that change.
    return arrived.map((one) => ({ ...one, version: versions.get(one._id) ?? one.version }));
  }

  private async learn(arrived: readonly Arrived[]): Promise<readonly Arrived[]> {
    const searched = arrived.flatMap(({ retailer, search }) => (search ? [{ retailer, search }] : []));
    await this.deps.vocabulary.learn(searched, { deadline: Date.now() + databaseTimeoutMs });
    return arrived;
  }

  /**
   * Those events of a new receipt that may not have been published yet. A change overwrites their source, so it must save
   * them.
   */
  async unpublishedEvents(before: EventSource): Promise<readonly SerializedEvent[]> {
    const isNew = before.version === 1 && before.created !== undefined;
    return isNew && !(await this.relay.isPublished(before)) ? eventsOf(before) : [];
  }

  private async readAfter(retailer: string, arrival: number, countMax: number): Promise<Arrived[]> {
    const found = await this.deps.collection
      .find<Arrived>(
        { retailer, arrival: { $gt: arrival } },
        {
          projection,
          sort: { arrival: 1 },
          limit: countMax,
          hint: receiptIndexes.arrival.name,
          ...majorityRead(),
        },
      )
      .toArray();
    return found;
  }

  private headPages(): () => Promise<Head[]> {
    let next = 0;
    return () => {
      const all = this.deps.retailers();
      const from = next < all.length ? next : 0;
      const some = all.slice(from, from + headsAtOnceMax);
      next = from + some.length;
      return Promise.all(some.map(async (retailer) => ({ retailer, last: await this.lastOf(retailer) })));
    };
  }

  private lastOf(retailer: string): Promise<number> {
    return this.deps.receipts.lastNumber(retailer, { deadline: Date.now() + databaseTimeoutMs });
  }
}
