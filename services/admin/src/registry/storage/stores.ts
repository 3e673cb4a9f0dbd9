import { storeExists, type PostedStore, type StoreRecord } from '@receipts/contracts';
import { ServiceError, type SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration } from '@receipts/storage';
import { referenceNumber } from '../domain/store';
import { Aggregates, creatorIndex, idOf, type AggregateDocument, type Cause, type Shape } from './aggregates';

/** `properties` and `settings` are stored as JSON strings, because MongoDB restricts the keys of objects. */
export interface StoreDocument
  extends AggregateDocument, Omit<StoreRecord, 'retailer' | 'version' | 'properties' | 'settings'> {
  readonly properties: string;
  readonly settings: string;
}

export const storesDeclaration: CollectionDeclaration = {
  name: 'stores',
  indexes: [
    { name: 'by_id', key: { retailer: 1, id: -1 } },
    { name: 'by_reference', key: { retailer: 1, reference: -1 }, unique: true },
    {
      name: 'by_external_reference',
      key: { retailer: 1, external_reference: 1 },
      unique: true,
      partial: { external_reference: { $gt: '' } },
    },
    creatorIndex,
    outboxIndex,
  ],
};

const shape: Shape<StoreDocument, StoreRecord> = {
  documentOf: ({ version: _version, properties, settings, ...fields }) => ({
    ...fields,
    properties: JSON.stringify(properties),
    settings: JSON.stringify(settings),
  }),
  recordOf: ({ _id, outbox: _outbox, properties, settings, ...fields }) => ({
    // The members are in the order of the interface's table.
    id: fields.id,
    reference: fields.reference,
    external_reference: fields.external_reference,
    name: fields.name,
    address: fields.address,
    city: fields.city,
    postcode: fields.postcode,
    country: fields.country,
    phone: fields.phone,
    vatno: fields.vatno,
    company: fields.company,
    locale: fields.locale,
    timezone: fields.timezone,
    currency: fields.currency,
    properties: JSON.parse(properties) as unknown,
    settings: JSON.parse(settings) as unknown,
    updated_timestamp: fields.updated_timestamp,
    retailer: fields.retailer,
    version: fields.version,
  }),
};

const allotAttemptsMax = 20;
/** References are allocated above the highest one in use, ignoring those above this limit. */
const allottedAboveMax = 1_000_000_000_000;

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

export class Stores extends Aggregates<StoreDocument, StoreRecord> {
  protected readonly shape = shape;
  protected override readonly taken = storeExists;

  /**
   * @param make creates the record from the allocated ids
   * @returns the new store, or the store that an earlier execution of the same call has created
   * @throws ServiceError 409 `store_exists`
   */
  async create(
    retailer: string,
    posted: PostedStore,
    make: (allotted: { id: number; reference: number }) => StoreRecord,
    eventOf: (record: StoreRecord) => SerializedEvent,
    cause: Cause,
  ): Promise<StoreRecord> {
    const { signal } = cause;
    const made = await this.createdBy(retailer, cause);
    if (made) return made;
    if (await this.isTaken(retailer, posted, signal)) {
      return this.createdByOrRefuse(retailer, cause, storeExists);
    }
    const id = await this.counters.next(retailer, 'stores', signal);
    for (let attempt = 1; ; attempt++) {
      const reference = posted.reference ?? (await this.allotReference(retailer, signal));
      const record = make({ id, reference });
      try {
        return await this.insert(idOf(retailer, id), record, [eventOf(record)], cause);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const isLostRace = isDuplicateKey(error, 'by_reference') && isNothing(posted.reference);
        if (!isLostRace || attempt >= allotAttemptsMax) throw new ServiceError(storeExists);
      }
    }
  }

  /** Checked before a number is allocated, to avoid gaps in the usual case. The unique indexes decide races. */
  private async isTaken(retailer: string, posted: PostedStore, signal: AbortSignal): Promise<boolean> {
    const { reference, external_reference: external } = posted;
    const taken =
      (!isNothing(reference) && (await this.collection.findOne({ retailer, reference }, { signal }))) ||
      (!isNothing(external) &&
        (await this.collection.findOne({ retailer, external_reference: external }, { signal })));
    return Boolean(taken);
  }

  private async allotReference(retailer: string, signal: AbortSignal): Promise<number> {
    const highest = await this.collection.findOne(
      { retailer, reference: { $lt: allottedAboveMax } },
      { projection: { reference: 1 }, sort: { reference: -1 }, signal },
    );
    return this.counters.nextAbove(retailer, 'store-references', highest?.reference ?? 0, signal);
  }

  /**
   * Finds a store by the reference in a path or receipt: an identical external reference takes precedence; otherwise
   * digits are the reference.
   */
  async find(retailer: string, text: string, signal: AbortSignal): Promise<StoreRecord | undefined> {
    const reference = referenceNumber(text);
    const either = [
      ...(text === '' ? [] : [{ retailer, external_reference: text }]),
      ...(reference === undefined ? [] : [{ retailer, reference }]),
    ];
    if (either.length === 0) return undefined;
    const found = await this.collection.find({ $or: either }, { signal }).toArray();
    const chosen = found.find((store) => store.external_reference === text) ?? found[0];
    return chosen && shape.recordOf(chosen);
  }

  /** A retailer's newest stores; if given, only those with one of these references. */
  newestOf(
    retailer: string,
    references: readonly string[] | undefined,
    { below, count }: { readonly below: number | undefined; readonly count: number },
    signal: AbortSignal,
  ): Promise<StoreRecord[]> {
    const named = references && {
      $or: [
        { external_reference: { $in: [...references] } },
        { reference: { $in: references.flatMap((text) => referenceNumber(text) ?? []) } },
      ],
    };
    return this.newest({ retailer, ...named }, below, count, signal);
  }

  /** Finds a store by its reference alone. */
  async findNumbered(
    retailer: string,
    reference: number,
    signal: AbortSignal,
  ): Promise<StoreRecord | undefined> {
    return this.findBy({ retailer, reference }, signal);
  }

  async findById(retailer: string, id: number, signal: AbortSignal): Promise<StoreRecord | undefined> {
    return this.findBy({ _id: idOf(retailer, id), retailer }, signal);
  }
}
