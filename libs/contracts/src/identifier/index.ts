import { cardContracts } from '../cards';
import { loyaltyContracts, rewardIssued } from '../loyalty';
import { publishedEventsOf } from '../shared/published-events';
import { catchUpSummaries } from './catch-up-summaries';
import { createIdentifier } from './create-identifier';
import { eraseIdentifier } from './erase-identifier';
import { identifierCreated, identifierErased, identifierUpdated } from './events';
import { exportIdentifier } from './export-identifier';
import { getIdentifier } from './get-identifier';
import { listIdentifiers } from './list-identifiers';
import { patchIdentifier } from './patch-identifier';
import { searchIdentifiers } from './search-identifiers';
import { validateIdentifier } from './validate-identifier';

export {
  identifierExists,
  identifierNotFound,
  patchedIdentifier,
  type Identifier,
  type IdentifierSummary,
} from './identifier';

export {
  tooManyValidations,
  validationReasons,
  validationResults,
  type ValidationDetails,
} from './validate-identifier';

/** The commands and queries of identifier. The service does not compile unless it has a handler for each. */
export const identifierContracts = {
  getIdentifier,
  listIdentifiers,
  createIdentifier,
  patchIdentifier,
  searchIdentifiers,
  validateIdentifier,
  eraseIdentifier,
  exportIdentifier,
  catchUpSummaries,
  ...cardContracts,
  ...loyaltyContracts,
  ...publishedEventsOf('identifier'),
};

/** The events of identifier. */
export const identifierEvents = { identifierCreated, identifierUpdated, identifierErased, rewardIssued };
