import { eventOf, newId, ServiceError, type SerializedEvent } from '@receipts/kernel';
import { identifierEvents, identifierExists } from '@receipts/contracts';
import {
  duplicatesIn,
  isDuplicateKey,
  outboxIndex,
  outboxItem,
  pendingFilter,
  databaseTimeoutMs,
  type CollectionDeclaration,
  type OutboxItem,
} from '@receipts/storage';
import type { Vocabulary } from '@receipts/search';
import { searchIndexes, type SearchDocument } from '@receipts/search-language';
import type { Collection, Filter } from 'mongodb';
import { identifierOf, type IdentifierRecord } from '../domain/identifier';
import { searchOf } from '../domain/identifier-search';
import type { ListPosition } from '../domain/list-cursor';

export interface IdentifierDocument extends IdentifierRecord {
  readonly _id: string;
  readonly retailer: string;
  /** The order of creation: the time, then the order within one process. */
  readonly arrival: string;
  /** The search document, see `searchOf`. */
  readonly search: SearchDocument;
  /** The request that created the identifier, so that a retry of that request finds it. */
  readonly origin: string;
  /** The ids of the latest messages that changed the identifier, so that a redelivered message has no effect. */
  readonly changedBy?: readonly string[];
  readonly outbox?: readonly OutboxItem[];
}

export const identifiersDeclaration: CollectionDeclaration = {
  name: 'identifiers',
  indexes: [
    { name: 'by_identifier', key: { retailer: 1, identifier: 1 }, unique: true },
    { name: 'by_update', key: { retailer: 1, updatedAt: -1, _id: -1 } },
    { name: 'by_creation', key: { retailer: 1, arrival: -1 } },
    ...searchIndexes,
    outboxIndex,
  ],
};

export interface NewIdentifier {
  readonly record: IdentifierRecord;
  readonly retailer: string;
  readonly origin: string;
  readonly event: SerializedEvent;
}

/** A new identifier and its event. */
export function newIdentifier(
  identifier: string,
  { sourceUpdatedAt = null, properties = '{}' }: Partial<IdentifierRecord>,
  call: Parameters<typeof eventOf>[2],
  now: Date,
): NewIdentifier {
  const dates = { createdAt: now, updatedAt: now, sourceUpdatedAt };
  const record: IdentifierRecord = { identifier, version: 1, ...dates, properties };
  const { summary: _summary, ...data } = identifierOf(record);
  const facts = { subject: identifier, sequence: 1, data };
  const event = eventOf(identifierEvents.identifierCreated, facts, call, now);
  return { record, retailer: call.retailer, origin: call.id, event };
}

type NewDocument = IdentifierDocument & { readonly outbox: readonly OutboxItem[] };

/** Enough for the milliseconds of several thousand years. */
const timeDigits = 12;

/** The order of creation: by time, then by id. */
export function creationOrder(createdAt: Date, id: string): string {
  return createdAt.getTime().toString(16).padStart(timeDigits, '0') + id;
}

function documentOf({ record, retailer, origin, event }: NewIdentifier): NewDocument {
  const _id = newId(record.createdAt.getTime());
  const arrival = creationOrder(record.createdAt, _id);
  return { _id, retailer, arrival, search: searchOf(record), origin, ...record, outbox: [outboxItem(event)] };
}

export class Identifiers {
  constructor(
    private readonly collection: Collection<IdentifierDocument>,
    private readonly vocabulary: Pick<Vocabulary, 'learnSoon' | 'forget'>,
  ) {}

  async find(retailer: string, identifier: string, signal: AbortSignal): Promise<IdentifierDocument | null> {
    return this.collection.findOne({ retailer, identifier }, { signal, projection: { search: 0 } });
  }

  /**
   * The new document, or the document that an earlier execution of the same request has created.
   * @throws ServiceError 409 `identifier_exists`.
   */
  async create(entry: NewIdentifier, signal: AbortSignal): Promise<IdentifierDocument> {
    const document = documentOf(entry);
    try {
      await Promise.all([this.collection.insertOne(document, { signal }), this.learn([document])]);
      return document;
    } catch (error) {
      if (!isDuplicateKey(error, 'by_identifier')) throw error;
      const { retailer, origin, record } = entry;
      const { identifier } = record;
      const own = await this.collection.findOne({ retailer, identifier, origin }, { signal });
      if (!own) throw new ServiceError(identifierExists);
      return own;
    }
  }

  /** Creates the identifiers that do not exist yet and returns them. */
  async createMissing(entries: readonly NewIdentifier[], signal: AbortSignal): Promise<NewDocument[]> {
    const documents = entries.map(documentOf);
    const present = await duplicatesIn(() =>
      Promise.all([this.collection.insertMany(documents, { ordered: false, signal }), this.learn(documents)]),
    );
    return documents.filter((_, index) => !present.has(index));
  }

  /** True while the identifier has events that have not been published. */
  async hasUnpublishedEvents(retailer: string, identifier: string, signal: AbortSignal): Promise<boolean> {
    const filter = { retailer, identifier, ...pendingFilter } as Filter<IdentifierDocument>;
    return (await this.collection.findOne(filter, { projection: { _id: 1 }, signal })) !== null;
  }

  /** Removes an identifier, and the words that only it contains. */
  async remove(retailer: string, identifier: string, signal: AbortSignal): Promise<void> {
    const found = await this.collection.findOne(
      { retailer, identifier },
      { projection: { 'search.terms': 1 }, signal },
    );
    if (!found) return;
    // First, because its words would not be known afterwards.
    await this.vocabulary.forget(
      retailer,
      found.search.terms,
      (token) => this.isSearched(retailer, token, found._id, signal),
      { deadline: Date.now() + databaseTimeoutMs },
    );
    await this.collection.deleteOne({ _id: found._id, retailer }, { signal });
  }

  /** True if the search document of another identifier contains this string. */
  private async isSearched(
    retailer: string,
    token: string,
    except: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const filter = { retailer, 'search.terms': token, _id: { $ne: except } } as Filter<IdentifierDocument>;
    const options = { projection: { _id: 1 }, hint: 'search_tokens', signal };
    return (await this.collection.findOne(filter, options)) !== null;
  }

  private learn(documents: readonly IdentifierDocument[]): Promise<void> {
    return this.vocabulary.learnSoon(documents, { deadline: Date.now() + databaseTimeoutMs });
  }

  /** Returns the identifiers that exist. */
  async known(retailer: string, identifiers: readonly string[], signal: AbortSignal): Promise<Set<string>> {
    const projection = { _id: 0, identifier: 1 };
    const filter = { retailer, identifier: { $in: [...identifiers] } };
    const found = await this.collection.find(filter, { projection, signal }).toArray();
    return new Set(found.map(({ identifier }) => identifier));
  }

  /** The most recently updated first, starting below a position; only those in `among`, if given. */
  async page(
    retailer: string,
    below: ListPosition | undefined,
    count: number,
    signal: AbortSignal,
    among?: readonly string[],
  ): Promise<IdentifierDocument[]> {
    const after = below && {
      // Implied by the other conditions; makes the index scan start at the page.
      updatedAt: { $lte: below.updatedAt },
      $or: [{ updatedAt: { $lt: below.updatedAt } }, { updatedAt: below.updatedAt, _id: { $lt: below._id } }],
    };
    return this.collection
      .find(
        { retailer, ...after, ...(among && { identifier: { $in: [...among] } }) },
        { signal, hint: among ? 'by_identifier' : 'by_update', projection: { search: 0 } },
      )
      .sort({ updatedAt: -1, _id: -1 })
      .limit(count)
      .toArray();
  }
}
