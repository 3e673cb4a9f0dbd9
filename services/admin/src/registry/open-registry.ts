import { randomBytes, randomUUID } from 'node:crypto';
import type { Sealer } from '@receipts/host';
import type { Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { OpenService } from '@receipts/host/open-service';
import type { CollectionDeclaration, Database } from '@receipts/storage';
import type { IntegratorAccess } from '../broker/integrator-access';
import type { AggregateDocument } from './storage/aggregates';
import { ClientCalls, clientCallsDeclaration, type ClientCallsDocument } from './storage/client-calls';
import { Clients, clientsDeclaration, type ClientDocument } from './storage/clients';
import { Counters, countersDeclaration, type CounterDocument } from './storage/counters';
import { PortalUsers, portalUsersDeclaration, type PortalUserDocument } from './storage/portal-users';
import { Retailers, retailersDeclaration, type RetailerDocument } from './storage/retailers';
import { Stores, storesDeclaration, type StoreDocument } from './storage/stores';
import { Subscriptions, subscriptionsDeclaration, type SubscriptionDocument } from './storage/subscriptions';
import { Tokens, tokensDeclaration, type TokenDocument } from './storage/tokens';

const restoreLeaseMs = 30_000;

export interface RegistryDependencies {
  readonly ask: Broker['ask'];
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Log;
  /** The public URL of the platform, without a trailing slash, used for links in e-mails. */
  readonly publicUrl: string;
  /** Undefined if the broker's management interface is not configured: subscriptions are then unavailable. */
  readonly access?: IntegratorAccess | undefined;
  readonly now: () => Date;
}

/** Retailers with their stores, clients, tokens, portal users and subscriptions. */
export async function openRegistry(service: OpenService, deps: RegistryDependencies) {
  const { ask, database, sealer, log, publicUrl, access, now } = deps;
  const counters = new Counters(await database.collection<CounterDocument>(countersDeclaration));
  const open = async <D extends AggregateDocument>(declaration: CollectionDeclaration) => {
    const collection = await database.collection<D>(declaration);
    return [collection, service.relay<D>(`sweep ${declaration.name}`, { collection }), counters] as const;
  };
  return {
    stores: new Stores(...(await open<StoreDocument>(storesDeclaration))),
    clients: new Clients(...(await open<ClientDocument>(clientsDeclaration))),
    retailers: new Retailers(...(await open<RetailerDocument>(retailersDeclaration))),
    portalUsers: new PortalUsers(...(await open<PortalUserDocument>(portalUsersDeclaration))),
    clientCalls: new ClientCalls(await database.collection<ClientCallsDocument>(clientCallsDeclaration)),
    tokens: new Tokens(await database.collection<TokenDocument>(tokensDeclaration), counters),
    subscriptions: new Subscriptions(
      await database.collection<SubscriptionDocument>(subscriptionsDeclaration),
    ),
    ask,
    sealer,
    log,
    publicUrl,
    access,
    now,
    newReset: () => ({ id: randomUUID(), secret: sealer.seal(randomBytes(32).toString('base64url')) }),
    restoreLease: service.lease('restore subscriptions', restoreLeaseMs),
  };
}

export type Registry = Awaited<ReturnType<typeof openRegistry>>;

export type { HandlerOf } from '../handler-of';
