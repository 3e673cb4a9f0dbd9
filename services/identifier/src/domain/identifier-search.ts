import { identifierFields, searchDocument, type SearchDocument } from '@receipts/search-language';
import type { IdentifierRecord } from './identifier';

/** The search document of an identifier. The document is recomputed whenever the properties change. */
export function searchOf({ identifier, properties }: IdentifierRecord): SearchDocument {
  const record = { identifier, properties: JSON.parse(properties) as unknown };
  return searchDocument(identifierFields, record);
}
