import { identifierFields, searchDocument, type SearchDocument } from '@receipts/search-language';
import type { IdentifierRecord } from './identifier';

/** What an identifier is found by. It is made anew whenever its properties change. */
export function searchOf({ identifier, properties }: IdentifierRecord): SearchDocument {
  const record = { identifier, properties: JSON.parse(properties) as unknown };
  return searchDocument(identifierFields, record);
}
