import { adminContracts } from '@receipts/contracts';
import { replayHandlers } from '@receipts/storage';
import { type Service, openService, idempotent } from '@receipts/service';
import { openOperations } from './open-operations';
import { createDependencies, type ServiceDependencies } from './create-dependencies';
import { portalHandlers } from './portal';
import * as does from './use-cases';

/** Returned once: a repetition with the same key gets `null` instead. */
const secrets = ['secret', 'token', 'password'];

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const service = await openService({ name: 'admin', ...deps });
  const parts = await createDependencies(service, deps);
  const operations = openOperations(parts);
  return service.start({
    contracts: adminContracts,
    handlers: {
      createRetailer: idempotent(does.createRetailer(parts)),
      browseRetailers: does.browseRetailers(parts),
      getRetailer: does.getRetailer(parts),
      patchRetailer: does.patchRetailer(parts),
      createFirstClient: idempotent(does.createFirstClient(parts), ...secrets),
      createSubscription: idempotent(does.createSubscription(parts), ...secrets),
      listSubscriptions: does.listSubscriptions(parts),
      deleteSubscription: does.deleteSubscription(parts),
      createStore: idempotent(does.createStore(parts)),
      listStores: does.listStores(parts),
      getStore: does.getStore(parts),
      patchStore: does.patchStore(parts),
      listClients: does.listClients(parts),
      getClient: does.getClient(parts),
      createClient: idempotent(does.createClient(parts), ...secrets),
      patchClient: does.patchClient(parts),
      issueToken: idempotent(does.issueToken(parts), ...secrets),
      listTokens: does.listTokens(parts),
      revokeTokens: idempotent(does.revokeTokens(parts)),
      listCredentials: does.listCredentials(parts),
      findCredential: does.findCredential(parts),
      listRetailers: does.listRetailers(parts),
      findRetailer: does.findRetailer(parts),
      listStoreRecords: does.listStoreRecords(parts),
      findStore: does.findStore(parts),
      savePostedStore: does.savePostedStore(parts),
      noteTokenUses: does.noteTokenUses(parts),
      putPortalUser: does.putPortalUser(parts),
      putOperatorPortalUser: does.putOperatorPortalUser(parts),
      sendPasswordReset: does.sendPasswordReset(parts),
      findPasswordReset: does.findPasswordReset(parts),
      ...operations.handlers,
      ...portalHandlers(parts),
      ...replayHandlers([service.publishedEvents]),
    },
    subscriptions: operations.subscriptions,
    background: [does.reopenSubscriptions(parts), does.boundQueues(parts), operations.watching],
  });
}
