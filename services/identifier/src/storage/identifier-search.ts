import { RankedSearch } from '@receipts/search';
import type { Collection } from 'mongodb';
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

/** Finds identifiers by their search documents. */
export function identifierSearch(collection: Collection<IdentifierDocument>) {
  return new RankedSearch<IdentifierDocument, FoundIdentifier>(collection, {
    projection: shown,
    tested: ['identifier'],
    order: 'by_creation',
  });
}
