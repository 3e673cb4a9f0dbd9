import * as contracts from '@receipts/contracts';
import type { IdAllotter } from '@receipts/kernel';
import { on, type Broker } from '@receipts/messaging';
import { adminCredentials } from './authentication/admin-credentials';
import { BearerTokens } from './authentication/bearer';
import type { OpenSeal } from './authentication/credential';
import { CredentialBook } from './authentication/credential-book';
import { createGateway, type GatewayOptions } from './gateway';
import type { Contracts } from './http/mount';
import type { Log } from './log-port';
import type { Events } from './openapi/events';
import { nameSchemas } from './openapi/json-schema';
import { descriptionPages } from './openapi/pages';

/** Whoever owns contracts stands here; what they are, the gateway learns from the contracts alone. */
export const platformContracts = [
  contracts.receiptStoreContracts,
  contracts.ingestContracts,
  contracts.deliveryContracts,
  contracts.identifierContracts,
  contracts.adminContracts,
  contracts.transformContracts,
] as unknown as readonly Contracts[];

export const platformEvents = [
  contracts.receiptStoreEvents,
  contracts.ingestEvents,
  contracts.deliveryEvents,
  contracts.identifierEvents,
  contracts.adminEvents,
  contracts.transformEvents,
] as unknown as readonly Events[];

type HttpOptions = Pick<
  GatewayOptions,
  | 'operatorToken'
  | 'sizes'
  | 'rates'
  | 'bodies'
  | 'admission'
  | 'times'
  | 'connectionsMax'
  | 'basePath'
  | 'httpsOnly'
  | 'trustedProxies'
  | 'startSpan'
  | 'observe'
  | 'isDraining'
  | 'loopLagMs'
>;

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly log: Log;
  readonly ids: IdAllotter;
  readonly openSeal: OpenSeal;
  readonly version: string;
  readonly port: number;
  readonly host: string;
  /** How often all credentials are read anew, in case an event was lost. */
  readonly credentialsRefreshMs: number;
  readonly http: HttpOptions;
}

export interface Service {
  readonly port: number;
  /** True once the credentials were read for the first time. */
  readonly isReady: boolean;
  /** Takes no new connection and finishes the requests in progress, for so long at most. */
  stop(graceMs: number): Promise<void>;
}

const tokenUsesEveryMs = 30_000;

/** Everything that the gateway does. */
export async function startGatewayService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log, openSeal, version, http } = deps;
  const admin = adminCredentials(broker);
  const credentials = new CredentialBook({ source: admin, openSeal, log });
  const bearer = new BearerTokens(credentials);
  nameSchemas(contracts);
  const pages = descriptionPages(platformContracts, platformEvents, { version, basePath: http.basePath });

  const { clientCreated, clientUpdated, clientRevoked } = contracts.adminEvents;
  const subscription = await broker.subscribe({
    queue: 'gateway.on-events',
    subscriptions: [
      on([clientCreated, clientUpdated, clientRevoked], async (events) => {
        for (const { data } of events) {
          // Not awaited: a revocation must not wait until admin has answered about the change before it.
          const { key, previous_key: previousKey, revoked, version: next } = data;
          void credentials.follow({ key, previousKey, revoked, version: next });
        }
      }),
    ],
    exclusive: true,
  });
  const resync = () => void credentials.resync();
  const stopListening = broker.onUp(resync);
  resync();

  const server = createGateway({
    ...http,
    broker,
    log,
    contracts: platformContracts,
    pages,
    credentials,
    bearer,
    ids: deps.ids,
  });
  const port = await server.listen(deps.port, deps.host);
  const refresh = setInterval(resync, deps.credentialsRefreshMs).unref();
  const tellUses = setInterval(() => void admin.noteUses(bearer.takeUses(), log), tokenUsesEveryMs).unref();

  return {
    port,
    get isReady() {
      return credentials.isLoaded;
    },
    async stop(graceMs) {
      await server.close(graceMs);
      clearInterval(refresh);
      clearInterval(tellUses);
      stopListening();
      await admin.noteUses(bearer.takeUses(), log);
      credentials.close();
      await subscription.close();
    },
  };
}
