import { createIdentifier } from './create-identifier';
import { identifierCreated, identifierUpdated } from './events';
import { getIdentifier } from './get-identifier';
import { listIdentifiers } from './list-identifiers';
import { patchIdentifier } from './patch-identifier';
import { searchIdentifiers } from './search-identifiers';

export {
  identifierExists,
  identifierNotFound,
  patchedIdentifier,
  type Identifier,
  type IdentifierSummary,
} from './identifier';

/** What identifier answers. A contract that stands here has a handler there, or the service does not compile. */
export const identifierContracts = {
  getIdentifier,
  listIdentifiers,
  createIdentifier,
  patchIdentifier,
  searchIdentifiers,
};

/** What identifier tells the world. */
export const identifierEvents = { identifierCreated, identifierUpdated };
