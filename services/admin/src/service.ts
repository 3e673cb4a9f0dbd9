import { randomBytes, randomUUID } from 'node:crypto';
import { adminContracts } from '@receipts/contracts';
import { instanceReported, type Sealer } from '@receipts/host';
import type { Handler, Handlers } from '@receipts/kernel';
import { on, type Broker, type IntegratorAccess } from '@receipts/messaging';
import {
  createRelay,
  guarded,
  idempotencyCollection,
  idempotent,
  lease,
  leaseCollection,
  type IdempotencyRecord,
  type LeaseDocument,
  type Log,
  type Store,
} from '@receipts/storage';
import type { CollectionDeclaration } from '@receipts/storage';
import { Instances } from './use-cases/on-instance-reported';
import { QueueAges } from './domain/queue-ages';
import { portalHandlers, sessionCookie } from './portal';
import type { AggregateDocument } from './storage/aggregates';
import { Clients, clientsDeclaration, type ClientDocument } from './storage/clients';
import { Counters, countersDeclaration, type CounterDocument } from './storage/counters';
import {
  OperatorActions,
  operatorActionsDeclaration,
  type OperatorActionDocument,
} from './storage/operator-actions';
import {
  PortalSessions,
  portalSessionsDeclaration,
  type PortalSessionDocument,
} from './storage/portal-sessions';
import {
  PortalSignIns,
  portalSignInsDeclaration,
  type PortalSignInDocument,
} from './storage/portal-sign-ins';
import { PortalUsers, portalUsersDeclaration, type PortalUserDocument } from './storage/portal-users';
import { Retailers, retailersDeclaration, type RetailerDocument } from './storage/retailers';
import { Stores, storesDeclaration, type StoreDocument } from './storage/stores';
import { Subscriptions, subscriptionsDeclaration, type SubscriptionDocument } from './storage/subscriptions';
import { Tokens, tokensDeclaration, type TokenDocument } from './storage/tokens';
import { browseRetailers } from './use-cases/browse-retailers';
import { createClient } from './use-cases/create-client';
import { createFirstClient } from './use-cases/create-first-client';
import { createRetailer } from './use-cases/create-retailer';
import { createStore } from './use-cases/create-store';
import { createSubscription } from './use-cases/create-subscription';
import { deleteSubscription } from './use-cases/delete-subscription';
import { discardParkedMessages } from './use-cases/discard-parked-messages';
import { findCredential } from './use-cases/find-credential';
import { findPasswordReset } from './use-cases/find-password-reset';
import { findRetailer } from './use-cases/find-retailer';
import { findStore } from './use-cases/find-store';
import { getClient } from './use-cases/get-client';
import { getParkedMessage } from './use-cases/get-parked-message';
import { getRetailer } from './use-cases/get-retailer';
import { getStatus, requestQueues } from './use-cases/get-status';
import { getStore } from './use-cases/get-store';
import { issueToken } from './use-cases/issue-token';
import { listClients } from './use-cases/list-clients';
import { listCredentials } from './use-cases/list-credentials';
import { listOperatorActions } from './use-cases/list-operator-actions';
import { listParkedMessages } from './use-cases/list-parked-messages';
import { listRetailers } from './use-cases/list-retailers';
import { listStoreRecords } from './use-cases/list-store-records';
import { listStores } from './use-cases/list-stores';
import { listSubscriptions } from './use-cases/list-subscriptions';
import { listTokens } from './use-cases/list-tokens';
import { noteOperatorAction } from './use-cases/note-operator-action';
import { noteTokenUses } from './use-cases/note-token-uses';
import { guardedParked } from './use-cases/parked-queues';
import { patchClient } from './use-cases/patch-client';
import { patchRetailer } from './use-cases/patch-retailer';
import { patchStore } from './use-cases/patch-store';
import { putOperatorPortalUser } from './use-cases/put-operator-portal-user';
import { putPortalUser } from './use-cases/put-portal-user';
import { reopenSubscriptions } from './use-cases/reopen-subscriptions';
import { replayParkedMessages } from './use-cases/replay-parked-messages';
import { revokeTokens } from './use-cases/revoke-tokens';
import { savePostedStore } from './use-cases/save-posted-store';
import { sendPasswordReset } from './use-cases/send-password-reset';
import { watchQueues } from './use-cases/watch-queues';

export interface AdminDeps {
  readonly broker: Pick<Broker, 'serve' | 'subscribe' | 'publish' | 'parked' | 'depth' | 'ask' | 'onUp'>;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly log: Log;
  /** Where the public sees the platform; links in mails begin with it. Without a slash at the end. */
  readonly publicUrl: string;
  /** Undefined where the broker's management interface is not known: then nobody is given a queue. */
  readonly access: IntegratorAccess | undefined;
  readonly now?: () => Date;
}

export interface AdminService {
  /** Ends what was begun and publishes its events; broker and store stay open. */
  stop(): Promise<void>;
}

const sweepLeaseMs = 10_000;
const reopenLeaseMs = 30_000;

/** 15 bytes are the 20 characters of a key; RFC 7518 section 3.2 wants 32 bytes of secret at least. */
const generate = () => ({
  key: randomBytes(15).toString('base64url'),
  secret: randomBytes(32).toString('base64'),
});

/** Trouble of the database is the caller's 503, whichever use case meets it. */
function guardedAll(handlers: Handlers<typeof adminContracts>): Handlers<typeof adminContracts> {
  const guard =
    (handler: Handler): Handler =>
    (input, call) =>
      guarded(() => handler(input, call));
  const entries = Object.entries(handlers).map(([name, handler]) => [name, guard(handler as Handler)]);
  return Object.fromEntries(entries) as typeof handlers;
}

/** Everything that this service does. */
export async function startAdminService(deps: AdminDeps): Promise<AdminService> {
  const { broker, store, sealer, log, publicUrl, now = () => new Date() } = deps;
  const leases = await store.collection<LeaseDocument>(leaseCollection);
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const counters = new Counters(await store.collection<CounterDocument>(countersDeclaration));

  const related = async <D extends AggregateDocument>(declaration: CollectionDeclaration) => {
    const collection = await store.collection<D>(declaration);
    const relay = createRelay<D>({
      collection,
      publish: (events) => broker.publish(events),
      lease: lease(leases, `sweep ${declaration.name}`, sweepLeaseMs),
      log,
      metrics: store.metrics,
    });
    return [collection, relay] as const;
  };
  const [storeDocuments, storeRelay] = await related<StoreDocument>(storesDeclaration);
  const [clientDocuments, clientRelay] = await related<ClientDocument>(clientsDeclaration);
  const [retailerDocuments, retailerRelay] = await related<RetailerDocument>(retailersDeclaration);
  const [portalUserDocuments, portalUserRelay] = await related<PortalUserDocument>(portalUsersDeclaration);

  const parts = {
    stores: new Stores(storeDocuments, storeRelay, counters),
    clients: new Clients(clientDocuments, clientRelay, counters),
    retailers: new Retailers(retailerDocuments, retailerRelay, counters),
    portalUsers: new PortalUsers(portalUserDocuments, portalUserRelay, counters),
    tokens: new Tokens(await store.collection<TokenDocument>(tokensDeclaration), counters),
    sealer,
    generate,
    parked: guardedParked(broker.parked),
    newReset: () => ({ id: randomUUID(), secret: sealer.seal(randomBytes(32).toString('base64url')) }),
    publicUrl,
    subscriptions: new Subscriptions(await store.collection<SubscriptionDocument>(subscriptionsDeclaration)),
    access: deps.access,
    actions: new OperatorActions(await store.collection<OperatorActionDocument>(operatorActionsDeclaration)),
    newPassword: () => randomBytes(32).toString('base64url'),
    now,
  };
  const looks = {
    ...parts,
    depth: (queues: readonly string[]) => broker.depth(queues),
    instances: new Instances(),
    ages: new QueueAges(),
  };
  const contracts = adminContracts;
  const once = { log, toldOnce: ['secret', 'token', 'password'] };
  const handlers: Handlers<typeof contracts> = {
    createRetailer: idempotent(keys, contracts.createRetailer, createRetailer(parts), { log }),
    browseRetailers: browseRetailers(parts),
    getRetailer: getRetailer(parts),
    patchRetailer: patchRetailer(parts),
    createFirstClient: idempotent(keys, contracts.createFirstClient, createFirstClient(parts), once),
    createSubscription: idempotent(keys, contracts.createSubscription, createSubscription(parts), once),
    listSubscriptions: listSubscriptions(parts),
    deleteSubscription: deleteSubscription(parts),
    createStore: idempotent(keys, contracts.createStore, createStore(parts), { log }),
    listStores: listStores(parts),
    getStore: getStore(parts),
    patchStore: patchStore(parts),
    listClients: listClients(parts),
    getClient: getClient(parts),
    createClient: idempotent(keys, contracts.createClient, createClient(parts), once),
    patchClient: patchClient(parts),
    issueToken: idempotent(keys, contracts.issueToken, issueToken(parts), once),
    listTokens: listTokens(parts),
    revokeTokens: idempotent(keys, contracts.revokeTokens, revokeTokens(parts), { log }),
    listCredentials: listCredentials(parts),
    findCredential: findCredential(parts),
    listRetailers: listRetailers(parts),
    findRetailer: findRetailer(parts),
    listStoreRecords: listStoreRecords(parts),
    findStore: findStore(parts),
    savePostedStore: savePostedStore(parts),
    noteTokenUses: noteTokenUses(parts),
    putPortalUser: putPortalUser(parts),
    putOperatorPortalUser: putOperatorPortalUser(parts),
    sendPasswordReset: sendPasswordReset(parts),
    findPasswordReset: findPasswordReset(parts),
    getStatus: getStatus(looks),
    noteOperatorAction: noteOperatorAction(parts),
    listOperatorActions: listOperatorActions(parts),
    listParkedMessages: listParkedMessages(parts),
    getParkedMessage: getParkedMessage(parts),
    replayParkedMessages: idempotent(keys, contracts.replayParkedMessages, replayParkedMessages(parts), {
      log,
    }),
    ...portalHandlers({
      ...parts,
      portalSessions: new PortalSessions(
        await store.collection<PortalSessionDocument>(portalSessionsDeclaration),
      ),
      portalSignIns: new PortalSignIns(
        await store.collection<PortalSignInDocument>(portalSignInsDeclaration),
      ),
      ask: (contract, input, call) => broker.ask(contract, input, call),
      cookie: sessionCookie(publicUrl),
      base: new URL(publicUrl).pathname.replace(/\/$/, ''),
      log,
    }),
    discardParkedMessages: idempotent(keys, contracts.discardParkedMessages, discardParkedMessages(parts), {
      log,
    }),
  };
  const consumer = await broker.serve({ owner: 'admin', contracts, handlers: guardedAll(handlers) });
  const hearing = await broker.subscribe({
    queue: 'admin.on-instances',
    subscriptions: [
      on([instanceReported], async (events) => {
        for (const { data } of events) looks.instances.note(data, now().getTime());
      }),
    ],
    exclusive: true,
  });
  const watching = watchQueues({ ...looks, known: requestQueues, log });
  const reopening = reopenSubscriptions({
    ...parts,
    isMine: lease(leases, 'reopen subscriptions', reopenLeaseMs),
    onUp: (listener) => broker.onUp(listener),
    log,
  });
  const relays = [storeRelay, clientRelay, retailerRelay, portalUserRelay];
  return {
    async stop() {
      reopening.stop();
      watching.stop();
      await hearing.close();
      await consumer.close();
      await Promise.all(relays.map((relay) => relay.stop()));
    },
  };
}
