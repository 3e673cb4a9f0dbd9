import type { Collection, Filter } from 'mongodb';
import { receiptDeletedError, receiptNotFound, type ReturnedReceipt } from '@receipts/contracts';
import { isConfined, parseExactly, ServiceError, type Call, type SerializedEvent } from '@receipts/kernel';
import type { Vocabulary } from '@receipts/search';
import type { SearchDocument } from '@receipts/search-language';
import {
  deadlineSignal,
  databaseTimeoutMs,
  BatchedUpdates,
  outboxItem,
  type OutboxRelay,
} from '@receipts/storage';
import { printReceipt } from '../domain/build-receipt';
import { relatedKeys } from '../domain/related';
import { saleKeyOf, saleOf } from '../totals/domain/sale';
import { historyAfter } from '../totals/domain/sale-changes';
import type { Arrivals } from './arrivals';
import { discardOf } from './discarded-raw-data';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';
import type { ChangeListener } from './change-listener';
import { publishedAfter } from './published-events';

/** The state of a receipt that changes are applied to. */
export interface ReceiptState extends Pick<
  ReceiptDocument,
  | 'retailer'
  | 'arrival'
  | 'created'
  | 'text'
  | 'version'
  | 'store_key'
  | 'published'
  | 'sale_history'
  | 'erased'
  | 'discarded'
  | 'dueAt'
> {
  readonly receipt: ReturnedReceipt;
  /** The search document in the database. */
  readonly storedSearch: SearchDocument;
  /** The search document of this state. */
  readonly search: () => SearchDocument | Promise<SearchDocument>;
  readonly changedBy: readonly string[];
  /** See `Arrivals`. */
  readonly unpublishedEvents: readonly SerializedEvent[];
  /** True if a change that has not been saved yet erases the consumer, whom notes and gift receipts may name. */
  readonly isErasing?: true;
}

/** A change requested by a use case. */
export interface ReceiptChange {
  /** The parsed body that new values of the receipt come from. */
  readonly posted?: unknown;
  /** Pure. Returning the same receipt, or an equal one, means no change. */
  readonly decide: (current: ReceiptState) => ReturnedReceipt;
  /** True if the change removes the consumer for good, so that the receipt no longer needs its raw data. */
  readonly erases?: true;
  /** Computes the search document after the change, in several turns of the event loop if the receipt is long. */
  readonly searchOf: (receipt: ReturnedReceipt, text: string, storeKey: string) => Promise<SearchDocument>;
  /** Returns the events of the change. */
  readonly tell: (next: ReceiptState, before: ReceiptState) => readonly SerializedEvent[];
}

/** Identifies a receipt by one of its ids; exactly one of the three is given. */
export interface ReceiptName {
  readonly id?: string | undefined;
  readonly transaction_id?: string | undefined;
  readonly external_id?: string | undefined;
}

export interface ReceiptChangesDependencies {
  readonly collection: Collection<StoredReceipt>;
  readonly arrivals: Pick<Arrivals, 'unpublishedEvents'>;
  readonly relay: Pick<OutboxRelay<StoredReceipt>, 'enqueue'>;
  readonly vocabulary: Pick<Vocabulary, 'learnSoon'>;
  readonly totals: ChangeListener;
  readonly now: () => Date;
}

/**
 * Changes receipts by compare-and-set on their version. The receipt, its search document and its events are saved in one
 * write. `BatchedUpdates` describes how concurrent changes are handled.
 */
export class ReceiptChanges {
  private readonly changes: BatchedUpdates<StoredReceipt, ReceiptState>;

  constructor(private readonly deps: ReceiptChangesDependencies) {
    const { collection, arrivals, relay, vocabulary, totals, now } = deps;
    this.changes = new BatchedUpdates({
      collection,
      stateOf: async (document): Promise<ReceiptState> => {
        if ('deleted_at' in document) throw new Deleted();
        if (!('text' in document)) throw new ServiceError(receiptNotFound);
        const { search, changed_by: changedBy = [], ...present } = document;
        const receipt = parseExactly(present.text) as ReturnedReceipt;
        const unpublishedEvents = await arrivals.unpublishedEvents(present);
        const searches = { storedSearch: search, search: () => search };
        return { receipt, changedBy, unpublishedEvents, ...searches, ...present };
      },
      updateOf: async ({ receipt, text, changedBy, published = [], search, ...state }) => {
        const { store_key: storeKey, sale_history: saleHistory, erased, discarded, dueAt, isErasing } = state;
        const { identifier } = receipt;
        const sale = saleKeyOf(saleOf(receipt, storeKey));
        const related = relatedKeys(receipt);
        const $set = {
          text,
          changed_by: changedBy,
          changed_at: now(),
          published,
          search: await search(),
          ...(identifier !== null && { identifier }),
          ...(erased && { erased }),
          ...(discarded && { discarded, dueAt }),
          ...(related && { related }),
          ...(sale && { sale }),
          ...(saleHistory && { sale_history: saleHistory }),
        };
        const $unset: Record<string, ''> = isErasing
          ? { attachments: '', gifts: '', notes: '', 'created.confinedTo': '' }
          : {};
        if (identifier === null) $unset['identifier'] = '';
        if (!sale) $unset['sale'] = '';
        return Object.keys($unset).length === 0 ? { $set } : { $set, $unset };
      },
      saved: async (_id, items, { retailer, search, sale_history: saleHistory }) => {
        relay.enqueue([{ _id, items }]);
        if (saleHistory) totals.noteChange(retailer);
        await vocabulary.learnSoon([{ retailer, search: await search() }], {
          deadline: Date.now() + databaseTimeoutMs,
        });
      },
    });
  }

  /** @returns the receipt after the change; undefined if the retailer has no such receipt */
  async change(id: string, change: ReceiptChange, call: Call): Promise<ReceiptState | undefined> {
    try {
      return await this.save(id, change, call);
    } catch (error) {
      if (!(error instanceof Deleted)) throw error;
      // The owner and the store of the receipt are no longer known, so restricted callers get 404.
      throw new ServiceError(isConfined(call) ? receiptNotFound : receiptDeletedError);
    }
  }

  private save(
    id: string,
    { posted, decide, searchOf, tell, erases }: ReceiptChange,
    call: Call,
  ): Promise<ReceiptState | undefined> {
    return this.changes.change(id, {
      retailer: call.retailer,
      cause: call.id,
      signal: deadlineSignal(call, undefined, Infinity),
      decide: (before) => {
        const receipt = decide(before);
        const text = receipt === before.receipt ? before.text : printReceipt(receipt, before.receipt, posted);
        if (text === before.text) return undefined;
        const { store_key: storeKey, published: earlier = [] } = before;
        const search = onDemand(() => searchOf(receipt, text, storeKey));
        const state: ReceiptState = {
          ...before,
          ...(erases && {
            erased: erases,
            isErasing: erases,
            // The words of a state that has not been saved have not been learned.
            ...discardOf({ ...before, search: before.storedSearch }, this.deps.now()),
          }),
          receipt,
          text,
          version: before.version + 1,
          unpublishedEvents: [],
          search,
        };
        const events = tell(state, before);
        const published = publishedAfter(earlier, events, {
          version: state.version,
          by: call.principal.id,
        });
        const sales = [before.receipt, receipt].map((one) => saleOf(one, storeKey));
        const history = historyAfter(before.sale_history, sales[0], sales[1], state.version);
        const outbox = [...before.unpublishedEvents, ...events].map(outboxItem);
        return { state: { ...state, published, ...(history && { sale_history: history }) }, outbox };
      },
    });
  }

  /** The id of the receipt with this transaction id or external id. */
  async findId(name: ReceiptName, call: Call): Promise<string | undefined> {
    const { id, transaction_id, external_id } = name;
    if (id !== undefined) return id;
    const { retailer } = call;
    const filter: Filter<StoredReceipt> =
      transaction_id !== undefined
        ? { retailer, transaction_id }
        : { retailer, external_id: String(external_id).toLowerCase() };
    const options = { projection: { _id: 1 }, signal: deadlineSignal(call) };
    const found = await this.deps.collection.findOne(filter, options);
    return found?._id;
  }
}

class Deleted extends Error {}

/** Evaluated lazily: if several changes are saved together, only the last search document is needed. */
function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
