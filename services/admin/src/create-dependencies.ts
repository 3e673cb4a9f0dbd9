import { randomBytes, randomUUID } from 'node:crypto';
import type { Sealer } from '@receipts/host';
import type { Broker, IntegratorAccess } from '@receipts/messaging';
import type { CollectionDeclaration, Database } from '@receipts/storage';
import type { Log } from '@receipts/kernel';
import type { OpenService } from '@receipts/service';
import { QueueAges } from './domain/queue-ages';
import { Throughput } from './domain/throughput';
import { sessionCookie } from './pages/cookies';
import type { AggregateDocument } from './storage/aggregates';
import { Clients, clientsDeclaration, type ClientDocument } from './storage/clients';
import { Counters, countersDeclaration, type CounterDocument } from './storage/counters';
import {
  OperatorActions,
  operatorActionsDeclaration,
  type OperatorActionDocument,
} from './storage/operator-actions';
import {
  operatorSessionsDeclaration,
  operatorSessionSeconds,
  OperatorSessions,
  type OperatorSessionDocument,
} from './storage/operator-sessions';
import {
  DeadLetterSelections,
  deadLetterSelectionsDeclaration,
  type DeadLetterSelectionDocument,
} from './storage/dead-letter-selections';
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
import { Instances } from './use-cases/on-instance-reported';
import { guardedDeadLetters } from './use-cases/dead-letter-queues';

const reopenLeaseMs = 30_000;
const portalCookie = { name: 'portal', sameSite: 'Lax', ageSeconds: 12 * 3600 } as const;
const operatorCookie = {
  name: 'operations',
  sameSite: 'Strict',
  ageSeconds: operatorSessionSeconds,
} as const;

export interface ServiceDependencies {
  readonly broker: Pick<
    Broker,
    'serve' | 'subscribe' | 'publish' | 'deadLetters' | 'depth' | 'ask' | 'onConnected'
  >;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Log;
  /** The public URL of the platform, used for links in mails. Without a slash at the end. */
  readonly publicUrl: string;
  /** The token for signing in to the operations pages; undefined disables them. */
  readonly operatorToken: string | undefined;
  /** Undefined without the broker's management interface: subscriptions are then unavailable. */
  readonly access?: IntegratorAccess | undefined;
  /** Limits the lengths of services' queues; absent like `access`. */
  readonly boundCommands?: () => Promise<void>;
  readonly now?: () => Date;
}

/** 15 bytes give the 20 characters of a key; RFC 7518 section 3.2 requires at least 32 bytes of secret. */
const generate = () => ({
  key: randomBytes(15).toString('base64url'),
  secret: randomBytes(32).toString('base64'),
});

/** The counters of ids, and the relays of events. */
async function openAggregates(service: OpenService, database: Database) {
  const counters = new Counters(await database.collection<CounterDocument>(countersDeclaration));
  const related = async <D extends AggregateDocument>(declaration: CollectionDeclaration) => {
    const collection = await database.collection<D>(declaration);
    const relay = service.relay<D>(`sweep ${declaration.name}`, { collection });
    return [collection, relay, counters] as const;
  };
  return {
    stores: new Stores(...(await related<StoreDocument>(storesDeclaration))),
    clients: new Clients(...(await related<ClientDocument>(clientsDeclaration))),
    retailers: new Retailers(...(await related<RetailerDocument>(retailersDeclaration))),
    portalUsers: new PortalUsers(...(await related<PortalUserDocument>(portalUsersDeclaration))),
    tokens: new Tokens(await database.collection<TokenDocument>(tokensDeclaration), counters),
  };
}

/** What the portal and the operations pages need: sessions, cookies and the public URL. */
async function openSites(database: Database, publicUrl: string, operatorToken: string | undefined) {
  return {
    operatorSessions: new OperatorSessions(
      await database.collection<OperatorSessionDocument>(operatorSessionsDeclaration),
      operatorToken,
    ),
    operatorCookie: sessionCookie(publicUrl, operatorCookie),
    portalSessions: new PortalSessions(
      await database.collection<PortalSessionDocument>(portalSessionsDeclaration),
    ),
    portalSignIns: new PortalSignIns(
      await database.collection<PortalSignInDocument>(portalSignInsDeclaration),
    ),
    cookie: sessionCookie(publicUrl, portalCookie),
    base: new URL(publicUrl).pathname.replace(/\/$/, ''),
  };
}

/** What the use cases work with. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { broker, database, sealer, log, publicUrl, access, boundCommands, now = () => new Date() } = deps;
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  return {
    ...{ sealer, log, publicUrl, access, boundCommands, generate, ask, now },
    ...(await openAggregates(service, database)),
    ...(await openSites(database, publicUrl, deps.operatorToken)),
    subscriptions: new Subscriptions(
      await database.collection<SubscriptionDocument>(subscriptionsDeclaration),
    ),
    actions: new OperatorActions(
      await database.collection<OperatorActionDocument>(operatorActionsDeclaration),
    ),
    newReset: () => ({ id: randomUUID(), secret: sealer.seal(randomBytes(32).toString('base64url')) }),
    newPassword: () => randomBytes(32).toString('base64url'),
    deadLetters: guardedDeadLetters(broker.deadLetters),
    deadLetterSelections: new DeadLetterSelections(
      await database.collection<DeadLetterSelectionDocument>(deadLetterSelectionsDeclaration),
    ),
    depth: (queues: readonly string[]) => broker.depth(queues),
    onBrokerConnected: (listener: () => void) => broker.onConnected(listener),
    instances: new Instances(),
    ages: new QueueAges(),
    throughput: new Throughput(),
    reopening: service.lease('reopen subscriptions', reopenLeaseMs),
  };
}

export type Parts = Awaited<ReturnType<typeof createDependencies>>;
