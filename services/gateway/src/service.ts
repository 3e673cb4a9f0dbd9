import * as contracts from '@receipts/contracts';
import type { Broker } from '@receipts/messaging';
import type { OpenSeal } from './authentication/credential';
import { followCredentials } from './authentication/follow-credentials';
import { createGateway, type GatewayOptions } from './gateway';
import { Backlog } from './http/backlog';
import { nameSchemas } from './openapi/json-schema';
import { descriptionPages } from './openapi/pages';
import { platformContracts, platformEvents } from './platform';
import { confirmingOwners, watchBacklog } from './watch-backlog';

export interface ServiceDependencies extends Pick<GatewayOptions, 'log' | 'ids'> {
  readonly broker: Broker;
  readonly openSeal: OpenSeal;
  readonly version: string;
  readonly port: number;
  readonly host: string;
  /** How often all credentials are read anew, in case an event was lost. */
  readonly credentialsRefreshMs: number;
  /** Messages that may wait for an owner before what is only confirmed is turned away. */
  readonly backlogMessagesMax: number;
  readonly http: Omit<
    GatewayOptions,
    'contracts' | 'pages' | 'broker' | 'credentials' | 'bearer' | 'log' | 'ids' | 'backlog'
  >;
}

export interface Service {
  readonly port: number;
  /** True once the credentials were read for the first time. */
  readonly isReady: boolean;
  /** Takes no new connection and finishes the requests in progress, for so long at most. */
  stop(graceMs: number): Promise<void>;
}

/** Everything that the gateway does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log, ids, version, http } = deps;
  nameSchemas(contracts);
  const pages = descriptionPages(platformContracts, platformEvents, { version, basePath: http.basePath });
  const following = followCredentials(deps);
  const { credentials, bearer, subscription, resync } = following;
  const queue = { queue: 'gateway.on-events', subscriptions: [subscription], exclusive: true };
  const subscriber = await broker.subscribe(queue);
  const stopListening = broker.onUp(resync);
  following.start(deps.credentialsRefreshMs);
  const backlog = new Backlog(deps.backlogMessagesMax);
  const watch = watchBacklog({ backlog, broker, owners: confirmingOwners(platformContracts), log });
  const server = createGateway({
    ...{ ...http, broker, log, ids, pages, credentials, bearer, backlog },
    contracts: platformContracts,
  });
  return {
    port: await server.listen(deps.port, deps.host),
    get isReady() {
      return credentials.isLoaded;
    },
    async stop(graceMs) {
      await server.close(graceMs);
      watch.stop();
      stopListening();
      await following.stop();
      await subscriber.close();
    },
  };
}
