import { idempotent } from '@receipts/service';
import type { Registry } from '../open-registry';
import { browseRetailers } from './browse-retailers';
import { createClient } from './create-client';
import { createFirstClient } from './create-first-client';
import { createRetailer } from './create-retailer';
import { createStore } from './create-store';
import { createSubscription } from './create-subscription';
import { deleteSubscription } from './delete-subscription';
import { findCredential } from './find-credential';
import { findPasswordReset } from './find-password-reset';
import { findRetailer } from './find-retailer';
import { findStore } from './find-store';
import { getClient } from './get-client';
import { getRetailer } from './get-retailer';
import { getStore } from './get-store';
import { issueToken } from './issue-token';
import { listClients } from './list-clients';
import { listCredentials } from './list-credentials';
import { listRetailers } from './list-retailers';
import { listStoreRecords } from './list-store-records';
import { listStores } from './list-stores';
import { listSubscriptions } from './list-subscriptions';
import { listTokens } from './list-tokens';
import { patchClient } from './patch-client';
import { patchRetailer } from './patch-retailer';
import { patchStore } from './patch-store';
import { putOperatorPortalUser } from './put-operator-portal-user';
import { putPortalUser } from './put-portal-user';
import { recordClientCalls } from './record-client-calls';
import { recordTokenUses } from './record-token-uses';
import { revokeTokens } from './revoke-tokens';
import { savePostedStore } from './save-posted-store';
import { sendPasswordReset } from './send-password-reset';

/** Returned only once: a retry with the same key gets `null` instead. */
const secrets = ['secret', 'token', 'password'];

/** Everything that the registry does. */
export const registryHandlers = (registry: Registry) => ({
  createRetailer: idempotent(createRetailer(registry)),
  browseRetailers: browseRetailers(registry),
  getRetailer: getRetailer(registry),
  patchRetailer: patchRetailer(registry),
  createFirstClient: idempotent(createFirstClient(registry), ...secrets),
  createSubscription: idempotent(createSubscription(registry), ...secrets),
  listSubscriptions: listSubscriptions(registry),
  deleteSubscription: deleteSubscription(registry),
  createStore: idempotent(createStore(registry)),
  listStores: listStores(registry),
  getStore: getStore(registry),
  patchStore: patchStore(registry),
  listClients: listClients(registry),
  getClient: getClient(registry),
  createClient: idempotent(createClient(registry), ...secrets),
  patchClient: patchClient(registry),
  issueToken: idempotent(issueToken(registry), ...secrets),
  listTokens: listTokens(registry),
  revokeTokens: idempotent(revokeTokens(registry)),
  listCredentials: listCredentials(registry),
  findCredential: findCredential(registry),
  listRetailers: listRetailers(registry),
  findRetailer: findRetailer(registry),
  listStoreRecords: listStoreRecords(registry),
  findStore: findStore(registry),
  savePostedStore: savePostedStore(registry),
  recordTokenUses: recordTokenUses(registry),
  recordClientCalls: recordClientCalls(registry),
  putPortalUser: putPortalUser(registry),
  putOperatorPortalUser: putOperatorPortalUser(registry),
  sendPasswordReset: sendPasswordReset(registry),
  findPasswordReset: findPasswordReset(registry),
});
