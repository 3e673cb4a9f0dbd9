import { RankedSearch, type Found, type SearchPage } from '@receipts/search';
import type { CompiledQuery } from '@receipts/search-language';
import type { Collection } from 'mongodb';
import type { TimeLimit } from '@receipts/kernel';
import type { IdentifierRecord } from '../domain/identifier';
import type { IdentifierDocument } from './identifiers';

type FoundIdentifier = IdentifierRecord & { readonly _id: string };

const shown = {
  identifier: 1,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
  sourceUpdatedAt: 1,
  properties: 1,
} as const;

/** Finds identifiers by their search documents. Every filter begins with the retailer. */
export class IdentifierSearch {
  private readonly ranked: RankedSearch<IdentifierDocument, FoundIdentifier>;

  constructor(collection: Collection<IdentifierDocument>) {
    this.ranked = new RankedSearch(collection, {
      projection: shown,
      tested: ['identifier'],
      order: 'by_creation',
    });
  }

  /**
   * @param consumers the consumers that the caller may see; undefined if it may see all
   * @throws ServiceError 503 if the database does not respond
   */
  find(
    retailer: string,
    consumers: readonly string[] | undefined,
    compiled: CompiledQuery,
    page: SearchPage,
    timeLimit: TimeLimit,
  ): Promise<Found<FoundIdentifier>> {
    const everything = { retailer, ...(consumers && { identifier: { $in: [...consumers] } }) };
    // The filter may also test the identifier, so it must not be merged with the restriction.
    const within = (filter: object) => (consumers ? { $and: [everything, filter] } : { retailer, ...filter });
    const scope = { everything, within };
    return this.ranked.find(scope, compiled, page, timeLimit);
  }
}
