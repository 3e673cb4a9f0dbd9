import { idempotent } from '@receipts/host/open-service';
import type { Registry } from './registry/open-registry';
import { browseRetailers } from './registry/use-cases/browse-retailers';
import { createClient } from './registry/use-cases/create-client';
import { createFirstClient } from './registry/use-cases/create-first-client';
import { createRetailer } from './registry/use-cases/create-retailer';
import { createStore } from './registry/use-cases/create-store';
import { createSubscription } from './registry/use-cases/create-subscription';
import { deleteSubscription } from './registry/use-cases/delete-subscription';
import { findCredential } from './registry/use-cases/find-credential';
import { findPasswordReset } from './registry/use-cases/find-password-reset';
import { findRetailer } from './registry/use-cases/find-retailer';
import { findStore } from './registry/use-cases/find-store';
import { getClient } from './registry/use-cases/get-client';
import { getRetailer } from './registry/use-cases/get-retailer';
import { getStore } from './registry/use-cases/get-store';
import { issueToken } from './registry/use-cases/issue-token';
import { listClients } from './registry/use-cases/list-clients';
import { listCredentials } from './registry/use-cases/list-credentials';
import { listNotifiedUsers } from './registry/use-cases/list-notified-users';
import { listRetailers } from './registry/use-cases/list-retailers';
import { listStoreRecords } from './registry/use-cases/list-store-records';
import { listStores } from './registry/use-cases/list-stores';
import { listSubscriptions } from './registry/use-cases/list-subscriptions';
import { listTokens } from './registry/use-cases/list-tokens';
import { patchClient } from './registry/use-cases/patch-client';
import { patchRetailer } from './registry/use-cases/patch-retailer';
import { patchStore } from './registry/use-cases/patch-store';
import { putOperatorPortalUser } from './registry/use-cases/put-operator-portal-user';
import { putPortalUser } from './registry/use-cases/put-portal-user';
import { recordClientCalls } from './registry/use-cases/record-client-calls';
import { recordTokenUses } from './registry/use-cases/record-token-uses';
import { restoreSubscriptions } from './registry/use-cases/restore-subscriptions';
import { revokeTokens } from './registry/use-cases/revoke-tokens';
import { savePostedStore } from './registry/use-cases/save-posted-store';
import { sendPasswordReset } from './registry/use-cases/send-password-reset';

export { openRegistry, type RegistryDependencies } from './registry/open-registry';

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
  listNotifiedUsers: listNotifiedUsers(registry),
});

/** What the registry does without a request. */
export const registryTasks = (registry: Registry) => [restoreSubscriptions(registry)];
