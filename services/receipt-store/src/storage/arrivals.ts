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
export interface EventSource extends Pick<ReceiptDocument, 'retailer' | 'seq' | 'version'> {
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
  /** True if the receipt has already been linked with related receipts. */
  readonly isLinked?: boolean;
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
  seq: 1,
  version: 1,
  created: 1,
  text: 1,
  search: 1,
} as const;

const linkMsMax = 10_000;

/** Fills in the ids of related receipts, both in new receipts and in those that wait for them. */
export type LinkRelated = (arrived: readonly Linkable[], timeLimit: TimeLimit) => Promise<void>;

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
  const { seq, version, text, receipt, created } = arrived;
  const origin = createdOrigin(arrived);
  if (version !== 1 || text === undefined || !origin) return [];
  const parsed = receipt ?? (JSON.parse(text) as ReturnedReceipt);
  return [
    ...createdEvents(parsed, text, origin, seq, created?.confinedTo),
    ...checkFailedEvents(parsed, created, origin),
  ];
}

/**
 * Publishes the events of new receipts, which are generated from the receipts themselves, adds their words to the
 * vocabulary for fuzzy search, and links related receipts. All this is done, and repeated after a crash, before a
 * retailer's watermark moves past a receipt.
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
      alongside: (arrived) => this.learnAndLink(arrived),
      readAfter: (retailer, seq, countMax) => this.readAfter(retailer, seq, countMax),
      headPages: () => this.headPages(),
      lastOf: (retailer) => this.lastOf(retailer),
    });
  }

  private async learnAndLink(arrived: readonly Arrived[]): Promise<void> {
    const { vocabulary, link } = this.deps;
    const searched = arrived.flatMap(({ retailer, search }) => (search ? [{ retailer, search }] : []));
    const unlinked = arrived.filter(({ isLinked }) => !isLinked);
    await Promise.all([
      vocabulary.learn(searched, { deadline: Date.now() + databaseTimeoutMs }),
      link(unlinked, { deadline: Date.now() + linkMsMax }),
    ]);
  }

  /**
   * Those events of a new receipt that may not have been published yet. A change overwrites their source, so it must save
   * them.
   */
  async unpublishedEvents(before: EventSource): Promise<readonly SerializedEvent[]> {
    const isNew = before.version === 1 && before.created !== undefined;
    return isNew && !(await this.relay.isPublished(before)) ? eventsOf(before) : [];
  }

  private async readAfter(retailer: string, seq: number, countMax: number): Promise<Arrived[]> {
    const found = await this.deps.collection
      .find<Arrived>(
        { retailer, seq: { $gt: seq } },
        {
          projection,
          sort: { seq: 1 },
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
