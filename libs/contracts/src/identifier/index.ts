import * as contracts from './contracts';
import { cardContracts } from '../cards';
import { loyaltyContracts, rewardIssued } from '../loyalty';
import { publishedEventsOf } from '../shared/published-events';
import * as events from './events';

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
  ...contracts,
  ...cardContracts,
  ...loyaltyContracts,
  ...publishedEventsOf('identifier'),
};

/** The events of identifier. */
export const identifierEvents = { ...events, rewardIssued };
