import type { Collection } from 'mongodb';
import type { ReturnedReceipt } from '@receipts/contracts';
import type { EventOrigin, PrintedEvent } from '@receipts/kernel';
import type { SearchDocument } from '@receipts/search-language';
import {
  createArrivalRelay,
  guarded,
  databaseTimeoutMs,
  type ArrivalRelay,
  type ArrivalRelayOptions,
  type CollectionDeclaration,
  type Head,
  type MarkDocument,
} from '@receipts/storage';
import type { Vocabulary } from '@receipts/search';
import { inPresentForm } from '../domain/receipt-form';
import { receiptIndexes, type Creation, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import { createdEvents } from './receipt-event';
import type { Receipts } from './receipts';

/** How far the events of each retailer's receipts are out. */
export const eventMarksCollection: CollectionDeclaration = { name: 'event_marks', indexes: [] };

/** What the events of a new receipt are made of. Whatever has another form has nothing to say by itself. */
export interface Arrived extends Pick<ReceiptDocument, 'retailer' | 'seq' | 'version'> {
  readonly created?: Creation;
  readonly text?: string;
  readonly form?: number;
  readonly search?: SearchDocument;
  /** Spares parsing the text. */
  readonly receipt?: ReturnedReceipt;
}

export interface ArrivalsParts {
  readonly collection: Collection<StoredReceipt>;
  readonly marks: Collection<MarkDocument>;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
  /** The ids of all retailers. */
  readonly retailers: () => readonly string[];
  readonly vocabulary: Pick<Vocabulary, 'learn'>;
  readonly relay: Pick<ArrivalRelayOptions<Arrived>, 'publish' | 'lease' | 'log' | 'metrics'>;
}

/** Gives the events of a new receipt that may not be out yet, for a change that takes away what they are made of. */
export type Unsaid = (before: Arrived) => readonly PrintedEvent[];

/** Retailers that are looked at for receipts of dead processes, in turn. */
const headsAtOnceMax = 20;
const readConcern = 'majority';
const projection = {
  _id: 0,
  retailer: 1,
  seq: 1,
  version: 1,
  created: 1,
  text: 1,
  form: 1,
  search: 1,
} as const;

class MarkIsOld extends Error {}

export function createdOrigin({
  created,
  retailer,
}: Pick<Arrived, 'created' | 'retailer'>): EventOrigin | undefined {
  if (!created) return undefined;
  const { event, at, request, cause, trace } = created;
  const traced = trace === undefined ? {} : { traceparent: trace };
  return { id: event, at, retailer, requestId: request, causationId: cause, ...traced };
}

/** A later change took the events along, see `Unsaid`. */
function eventsOf(arrived: Arrived): PrintedEvent[] {
  const { seq, version, text, receipt, created } = arrived;
  const origin = createdOrigin(arrived);
  if (version !== 1 || text === undefined || !origin) return [];
  return createdEvents(
    receipt ?? (JSON.parse(text) as ReturnedReceipt),
    text,
    origin,
    seq,
    created?.confinedTo,
  );
}

/**
 * Publishes the events of new receipts, which are made of the receipts themselves, and keeps their words for searches
 * that ask for similar ones. Both are done, or done again after a crash, before a retailer's mark passes a receipt.
 */
export class Arrivals {
  readonly relay: ArrivalRelay<Arrived>;
  private readonly known = new Map<string, number>();
  private readonly reading = new Map<string, Promise<void>>();
  private nextHead = 0;

  constructor(private readonly parts: ArrivalsParts) {
    const { marks, vocabulary, relay } = parts;
    let learning: { readonly retailer: string; readonly search: SearchDocument }[] = [];
    this.relay = createArrivalRelay<Arrived>({
      ...relay,
      name: 'receipts',
      marks,
      placeOf: ({ retailer, seq, created }) => ({ retailer, seq, at: created?.at ?? new Date(0) }),
      bytesOf: ({ text = '' }) => 3 * text.length,
      eventsOf: (arrived) => {
        const events = eventsOf(arrived);
        const { retailer, search } = arrived;
        if (events.length > 0 && search) learning.push({ retailer, search });
        return events;
      },
      publish: async (events) => {
        // Those for which events were asked right before.
        const receipts = learning;
        learning = [];
        const timeLimit = { deadline: Date.now() + databaseTimeoutMs };
        const [confirms] = await Promise.all([relay.publish(events), vocabulary.learn(receipts, timeLimit)]);
        return confirms;
      },
      readAfter: (retailer, seq, countMax) => this.readAfter(retailer, seq, countMax),
      heads: () => this.heads(),
      firstMark: (retailer) => this.firstMark(retailer),
    });
  }

  /** Does what changes receipts of a retailer; may do it twice, the second time with the present mark at hand. */
  async changing<T>(retailer: string, change: (unsaid: Unsaid) => Promise<T>): Promise<T> {
    try {
      return await change((before) => this.unsaid(before, false));
    } catch (error) {
      if (!(error instanceof MarkIsOld)) throw error;
    }
    this.relay.hurry();
    await this.readMark(retailer);
    return change((before) => this.unsaid(before, true));
  }

  /** Those who ask at the same time look together; the mark that they get may be a moment old, which does no harm. */
  private readMark(retailer: string): Promise<void> {
    let reading = this.reading.get(retailer);
    if (!reading) {
      reading = this.lookAtMark(retailer).finally(() => this.reading.delete(retailer));
      this.reading.set(retailer, reading);
    }
    return reading;
  }

  private async lookAtMark(retailer: string): Promise<void> {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const mark = await guarded(() => this.parts.marks.findOne({ _id: retailer }, { readConcern, signal }));
    if (mark) this.known.set(retailer, mark.upTo);
  }

  private unsaid(before: Arrived, isMarkFresh: boolean): readonly PrintedEvent[] {
    const { retailer, seq, version, created } = before;
    if (version !== 1 || !created) return [];
    if (seq <= (this.known.get(retailer) ?? 0) || this.relay.isPublished(retailer, seq)) return [];
    if (!isMarkFresh) throw new MarkIsOld();
    return eventsOf(before);
  }

  private async readAfter(retailer: string, seq: number, countMax: number): Promise<Arrived[]> {
    const found = await guarded(() =>
      this.parts.collection
        .find<Arrived>(
          { retailer, seq: { $gt: seq } },
          {
            projection,
            sort: { seq: 1 },
            limit: countMax,
            hint: receiptIndexes.arrival.name,
            readConcern,
            signal: AbortSignal.timeout(databaseTimeoutMs),
          },
        )
        .toArray(),
    );
    return found.map(inPresentForm);
  }

  private async heads(): Promise<Head[]> {
    const all = this.parts.retailers();
    const from = this.nextHead < all.length ? this.nextHead : 0;
    const some = all.slice(from, from + headsAtOnceMax);
    this.nextHead = from + some.length;
    const timeLimit = { deadline: Date.now() + databaseTimeoutMs };
    return Promise.all(
      some.map(async (retailer) => ({
        retailer,
        last: await this.parts.receipts.lastNumber(retailer, timeLimit),
      })),
    );
  }

  /** Earlier versions wrote the events of new receipts into their outboxes. */
  private async firstMark(retailer: string): Promise<number> {
    const first = await guarded(() =>
      this.parts.collection.findOne<Pick<StoredReceipt, 'seq'>>(
        { retailer, created: { $exists: true } },
        { projection: { seq: 1 }, sort: { seq: 1 }, hint: receiptIndexes.arrival.name, readConcern },
      ),
    );
    return (first?.seq ?? 1) - 1;
  }
}
