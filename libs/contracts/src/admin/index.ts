import * as contracts from './contracts';
import * as clientEvents from './client-events';
import * as operationsContracts from './pages/operations';
import * as portalUserEvents from './portal-user-events';
import * as portalContracts from './pages/portal';
import * as portalReceiptContracts from './pages/portal-receipts';
import * as portalMappingContracts from './pages/portal-mappings';
import * as portalIntegrationContracts from './pages/portal-integration';
import * as portalBrandContracts from './pages/portal-brand';
import * as portalUserContracts from './pages/portal-users';
import * as portalWebhookContracts from './pages/portal-webhooks';
import { retailerUpdated } from './retailer-updated';
import { publishedEventsOf } from '../shared/published-events';
import * as storeEvents from './store-events';

export { everyPermission, holdsPermission, permissionNames, storePermissions } from './permissions';
export { brandSettings, inCanonicalLanguages } from './brand-settings';
export { brandForm } from './pages/brand-form';
export { logoAddress, logoNotFound, uploadedLogoId } from './show-logo';
export { defaultRetailerSettings, retailerSettings, type RetailerSettings } from './retailer-settings';
export { patchedRetailer, retailerNotFound, type Retailer } from './retailer';
export { openingHoursOf, weekdays, type OpeningHours } from './opening-hours';
export {
  noSuchStore,
  patchedStore,
  postedStore,
  storeExists,
  type PostedStore,
  type Store,
  type StoreRecord,
} from './store';
export { canonicalReference, storeNamed, type StoreNames } from './store-named';
export { alpha2CodeOf, isAlpha2Code, isCountryCode } from '../shared/country-codes';
export { isCurrencyCode, minorDigits } from '../shared/currency-codes';
export { isTimeZone } from '../shared/time-zones';
export { exclusiveParameters } from '../shared/exclusive';
export { unknownCursor, unknownCursorIn } from '../shared/paging';
export { authentications, type Authentication } from '../shared/authentications';
export {
  clientKeyExists,
  clientNotFound,
  clientIsRevoked,
  notGranted,
  signatureMaxAgeSecondsMax,
  strongerClient,
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
  strongerGroup,
  strongerUser,
  type PostedPortalUser,
} from './portal-user';
export {
  failingChecksPercentDefault,
  notificationPermissions,
  notificationTypes,
  postedNotifications,
  type Notifications,
  type NotificationType,
  type PostedNotifications,
} from './notifications';
export type { NotifiedUser } from './list-notified-users';
export {
  brokerManagementMissing,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
} from './subscription';
export type { NotedAction } from './operator-action';
export { deadLetterNotFound, queueNotFound } from './dead-letter';
export { portalLanguages, type PortalLanguage } from '../shared/portal-languages';
export { mappingTemplates } from '../shared/mapping-templates';
export { clientCallsMax, type ClientCall, type ClientCalls } from './record-client-calls';
export type { TokenUse } from './record-token-uses';
export { retailerExists } from './create-retailer';
export type { ClientPatch } from './patch-client';
export { tooManyRevocations } from './revoke-tokens';
export { snapshotCountMax } from './snapshot';

export { settingInUse } from './patch-retailer';

/** The commands and queries of admin. The service does not compile unless it has a handler for each, and for each page. */
export const adminContracts = { ...contracts, ...publishedEventsOf('admin') };

/**
 * The pages and forms of the portal and of the operations pages, for browsers. Only the gateway and admin use them: no
 * program may rely on them, so the description of the API does not contain them.
 */
export const adminPages = {
  ...operationsContracts,
  ...portalContracts,
  ...portalReceiptContracts,
  ...portalMappingContracts,
  ...portalBrandContracts,
  ...portalUserContracts,
  ...portalWebhookContracts,
  ...portalIntegrationContracts,
};

/** The events of admin. */
export const adminEvents = { retailerUpdated, ...storeEvents, ...clientEvents, ...portalUserEvents };
