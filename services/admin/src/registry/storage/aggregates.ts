import { ServiceError, type ErrorDefinition, type SerializedEvent } from '@receipts/kernel';
import {
  isDuplicateKey,
  outboxItem,
  BatchedUpdates,
  type Aggregate,
  type IndexDeclaration,
  type OutboxItem,
  type OutboxRelay,
} from '@receipts/storage';
import type { Collection, Document, Filter, OptionalUnlessRequiredId, UpdateFilter } from 'mongodb';
import type { Counters } from './counters';

/** The fields of all documents. `_id` consists of the retailer and the id. */
export type AggregateDocument = Aggregate &
  Document & {
    readonly _id: string;
    /** The id of the call that created the record. */
    readonly createdBy: string;
    /** The ids of the latest calls that changed the record. */
    readonly changedBy?: readonly string[];
  };

/** The `_id` of the records that have a number per retailer. */
export const idOf = (retailer: string, id: number) => `${retailer}/${id}`;

/** How a record is stored. */
export interface Shape<D, R> {
  /** The document without the fields that all documents have. */
  readonly documentOf: (record: R) => Omit<D, '_id' | 'version' | 'outbox' | 'createdBy' | 'changedBy'>;
  readonly recordOf: (document: D) => R;
}

/** A call creates one document, even if two processes execute it at the same time. */
export const creatorIndex: IndexDeclaration = {
  name: 'by_creator',
  key: { retailer: 1, createdBy: 1 },
  unique: true,
};

/**
 * The call that causes a write. The call may be executed twice: redelivered after its process has crashed, or retried
 * by a caller that got no response. The second execution finds the result of the first.
 */
export interface Cause {
  readonly callId: string;
  readonly signal: AbortSignal;
}

/** The state of a record that changes are applied to. */
interface State<R> {
  readonly record: R;
  readonly changedBy: readonly string[];
}

/**
 * A collection of records. A record is saved together with the events of the change, and the write waits until they are
 * published, so that the copies in other services are as current as possible when the caller gets its reply.
 */
export abstract class Aggregates<D extends AggregateDocument, R extends { readonly version: number }> {
  protected abstract readonly shape: Shape<D, R>;
  /** The field with the number that increases with each record. */
  protected readonly numberField: 'id' | 'number' = 'id';
  /** The error for a change to a unique value that another record has. */
  protected readonly taken?: ErrorDefinition;
  private readonly changes: BatchedUpdates<D, State<R>>;

  constructor(
    protected readonly collection: Collection<D>,
    private readonly relay: Pick<OutboxRelay<D>, 'enqueue' | 'flush'>,
    protected readonly counters: Counters,
  ) {
    this.changes = new BatchedUpdates<D, State<R>>({
      collection,
      stateOf: (document) => ({
        record: this.shape.recordOf(document as unknown as D),
        changedBy: (document as AggregateDocument).changedBy ?? [],
      }),
      updateOf: ({ record, changedBy }) =>
        ({
          $set: { ...this.shape.documentOf(record), changedBy },
        }) as unknown as UpdateFilter<D>,
      saved: (id, items) => this.publish(id, items),
    });
  }

  protected async findBy(filter: Filter<D>, signal: AbortSignal): Promise<R | undefined> {
    const found = await this.collection.findOne<D>(filter, { signal });
    return found ? this.shape.recordOf(found) : undefined;
  }

  /** The record that this call created in an earlier execution. */
  protected createdBy(retailer: string, { callId, signal }: Cause): Promise<R | undefined> {
    return this.findBy({ retailer, createdBy: callId } as unknown as Filter<D>, signal);
  }

  /**
   * Handles a conflict with an existing record, which another execution of the same call may have created.
   * @throws ServiceError `refusal` if the record was not created by this call
   */
  protected async createdByOrRefuse(retailer: string, cause: Cause, refusal: ErrorDefinition): Promise<R> {
    const own = await this.createdBy(retailer, cause);
    if (!own) throw new ServiceError(refusal);
    return own;
  }

  /**
   * @returns the record, or the record that another execution of the same call has inserted meanwhile
   * @throws MongoServerError for a duplicate key of another record, see `isDuplicateKey`
   */
  protected async insert(
    id: string,
    record: R,
    events: readonly SerializedEvent[],
    cause: Cause,
  ): Promise<R> {
    const { callId, signal } = cause;
    const items = events.map((event) => outboxItem(event));
    const document = {
      ...this.shape.documentOf(record),
      _id: id,
      version: record.version,
      createdBy: callId,
      outbox: items,
    } as unknown as OptionalUnlessRequiredId<D>;
    try {
      await this.collection.insertOne(document, { signal });
    } catch (error) {
      const own = isDuplicateKey(error) && (await this.createdBy(document.retailer, cause));
      if (!own) throw error;
      return own;
    }
    await this.publish(id, items);
    return record;
  }

  /**
   * @param decide pure; may run again. Returning the same object means no change; otherwise the version is incremented.
   * @returns undefined if the retailer has no such record
   * @throws ServiceError `taken`
   */
  async change(
    retailer: string,
    id: string,
    decide: (current: R) => R,
    eventOf: (next: R, current: R) => SerializedEvent,
    { callId, signal }: Cause,
  ): Promise<R | undefined> {
    const change = {
      retailer,
      cause: callId,
      signal,
      decide: (before: State<R>) => {
        const record = decide(before.record);
        if (record === before.record) return undefined;
        return { state: { ...before, record }, outbox: [outboxItem(eventOf(record, before.record))] };
      },
    };
    try {
      return (await this.changes.change(id, change))?.record;
    } catch (error) {
      throw this.taken && isDuplicateKey(error) ? new ServiceError(this.taken) : error;
    }
  }

  /**
   * The records with a number smaller than `below`, largest first.
   * @param where begins with the retailer
   */
  async newest(
    where: Partial<D>,
    below: number | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<R[]> {
    const { numberField: field } = this;
    const filter = { ...where, ...(below !== undefined && { [field]: { $lt: below } }) } as Filter<D>;
    const found = this.collection
      .find<D>(filter, { signal })
      .sort({ [field]: -1 })
      .limit(count);
    return (await found.toArray()).map(this.shape.recordOf);
  }

  /** All records in a fixed order, for copies in other services; `after` is the `next` of the previous page. */
  async snapshot(
    after: string | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<{ readonly records: R[]; readonly next: string | null }> {
    const filter = (after === undefined ? {} : { _id: { $gt: after } }) as Filter<D>;
    const found = await this.collection.find<D>(filter, { signal }).sort({ _id: 1 }).limit(count).toArray();
    const next = found.length === count ? (found.at(-1)?._id ?? null) : null;
    return { records: found.map(this.shape.recordOf), next };
  }

  private async publish(id: string, items: readonly OutboxItem[]): Promise<void> {
    this.relay.enqueue([{ _id: id, items }]);
    await this.relay.flush([id]);
  }
}
