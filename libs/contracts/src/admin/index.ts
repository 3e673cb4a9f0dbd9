import { browseRetailers } from './browse-retailers';
import { clientCreated, clientRevoked, clientUpdated } from './client-events';
import { createClient } from './create-client';
import { createFirstClient } from './create-first-client';
import { createRetailer } from './create-retailer';
import { createStore } from './create-store';
import { createSubscription } from './create-subscription';
import { deleteSubscription } from './delete-subscription';
import { discardDeadLetters } from './discard-dead-letters';
import { findCredential } from './find-credential';
import { findPasswordReset } from './find-password-reset';
import { findRetailer } from './find-retailer';
import { findStore } from './find-store';
import { getClient } from './get-client';
import { getDeadLetter } from './get-dead-letter';
import { getRetailer } from './get-retailer';
import { getStatus } from './get-status';
import { getStore } from './get-store';
import { getThroughput } from './get-throughput';
import { issueToken } from './issue-token';
import { listClients } from './list-clients';
import { listCredentials } from './list-credentials';
import { listOperatorActions } from './list-operator-actions';
import { listDeadLetters } from './list-dead-letters';
import { listRetailers } from './list-retailers';
import { listStoreRecords } from './list-store-records';
import { listStores } from './list-stores';
import { listSubscriptions } from './list-subscriptions';
import { listTokens } from './list-tokens';
import { recordOperatorAction } from './record-operator-action';
import { recordTokenUses } from './record-token-uses';
import { operationsContracts } from './pages/operations';
import { patchClient } from './patch-client';
import { patchRetailer } from './patch-retailer';
import { patchStore } from './patch-store';
import { passwordResetRequested, portalUserCreated, portalUserUpdated } from './portal-user-events';
import { portalContracts } from './pages/portal';
import { portalMappingContracts } from './pages/portal-mappings';
import { putOperatorPortalUser } from './put-operator-portal-user';
import { putPortalUser } from './put-portal-user';
import { replayDeadLetters } from './replay-dead-letters';
import { retailerUpdated } from './retailer-updated';
import { revokeTokens } from './revoke-tokens';
import { savePostedStore } from './save-posted-store';
import { sendPasswordReset } from './send-password-reset';
import { publishedEventsOf } from '../shared/published-events';
import { storeCreated, storeUpdated } from './store-events';

export { everyPermission, holdsPermission, permissionNames } from './permissions';
export { defaultRetailerSettings, retailerSettings, type RetailerSettings } from './retailer-settings';
export { patchedRetailer, retailerNotFound, type Retailer } from './retailer';
export {
  noSuchStore,
  patchedStore,
  postedStore,
  storeExists,
  type PostedStore,
  type Store,
  type StoreRecord,
} from './store';
export { isCountryCode } from '../shared/country-codes';
export { isCurrencyCode, minorDigits } from '../shared/currency-codes';
export { isTimeZone } from '../shared/time-zones';
export { exclusiveParameters } from '../shared/exclusive';
export { unknownCursor, unknownCursorIn } from '../shared/paging';
export {
  authentications,
  clientKeyExists,
  clientNotFound,
  clientIsRevoked,
  notGranted,
  signatureMaxAgeSecondsMax,
  strongerClient,
  type Authentication,
  type Client,
  type Credential,
  type PostedClient,
} from './client';
export type { ClientEventData } from './client-events';
export {
  invalidPortalUser,
  portalEmailOf,
  portalEmailPattern,
  portalUserNotManageable,
  resetLimited,
  type PostedPortalUser,
} from './portal-user';
export {
  brokerManagementMissing,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
} from './subscription';
export type { NotedAction } from './operator-action';
export { deadLetterNotFound, queueNotFound } from './dead-letter';
export { operationsContracts } from './pages/operations';
export { portalContracts } from './pages/portal';
export { mappingTemplates } from './pages/portal-mappings';
export { retailerExists } from './create-retailer';
export type { ClientPatch } from './patch-client';
export { tooManyRevocations } from './revoke-tokens';
export { snapshotCountMax } from './snapshot';

/** The commands and queries of admin. The service does not compile unless it has a handler for each. */
export const adminContracts = {
  createRetailer,
  browseRetailers,
  getRetailer,
  patchRetailer,
  createFirstClient,
  createSubscription,
  listSubscriptions,
  deleteSubscription,
  createStore,
  listStores,
  getStore,
  patchStore,
  listClients,
  getClient,
  createClient,
  patchClient,
  issueToken,
  listTokens,
  revokeTokens,
  listCredentials,
  findCredential,
  listRetailers,
  findRetailer,
  listStoreRecords,
  findStore,
  savePostedStore,
  recordTokenUses,
  putPortalUser,
  putOperatorPortalUser,
  sendPasswordReset,
  findPasswordReset,
  listDeadLetters,
  getDeadLetter,
  replayDeadLetters,
  discardDeadLetters,
  getStatus,
  getThroughput,
  recordOperatorAction,
  listOperatorActions,
  ...operationsContracts,
  ...portalContracts,
  ...portalMappingContracts,
  ...publishedEventsOf('admin'),
};

/** The events of admin. */
export const adminEvents = {
  retailerUpdated,
  storeCreated,
  storeUpdated,
  clientCreated,
  clientUpdated,
  clientRevoked,
  portalUserCreated,
  portalUserUpdated,
  passwordResetRequested,
};
