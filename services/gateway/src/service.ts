import * as contracts from '@receipts/contracts';
import { on, type Broker } from '@receipts/messaging';
import { instanceReported } from '@receipts/host';
import type { OpenSeal } from './authentication/credential';
import { followCredentials } from './authentication/follow-credentials';
import { createGateway, type GatewayOptions } from './gateway';
import { Backlog, type BacklogLimits } from './http/backlog';
import { nameSchemas } from './openapi/json-schema';
import { descriptionPages } from './openapi/pages';
import { platformContracts, platformEvents } from './platform';
import { confirmingOwners, noteReports, watchBacklog } from './watch-backlog';

export interface ServiceDependencies extends Pick<GatewayOptions, 'log' | 'ids'> {
  readonly broker: Broker;
  readonly openSeal: OpenSeal;
  readonly version: string;
  readonly port: number;
  readonly host: string;
  /** How often all credentials are read again, in case an event was lost. */
  readonly credentialsRefreshMs: number;
  /** The backlog above which requests are refused. */
  readonly backlog: BacklogLimits;
  /** How often the backlog is polled, in milliseconds; 5 s unless given. */
  readonly backlogEveryMs?: number;
  readonly http: Omit<
    GatewayOptions,
    'contracts' | 'pages' | 'broker' | 'credentials' | 'bearer' | 'log' | 'ids' | 'backlog'
  >;
}

export interface Service {
  readonly port: number;
  /** True once the credentials have been read for the first time. */
  readonly isReady: boolean;
  /** Accepts no new connections and lets requests in progress finish, for at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Everything that the gateway does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log, ids, version, http } = deps;
  nameSchemas(contracts);
  const pages = descriptionPages(platformContracts, platformEvents, { version, basePath: http.basePath });
  const following = followCredentials(deps);
  const { credentials, bearer, subscription, resync } = following;
  const backlog = new Backlog(deps.backlog);
  const reports = on(instanceReported, (events) => noteReports(backlog, events));
  const queue = { queue: 'gateway.on-events', subscriptions: [subscription, reports], exclusive: true };
  const subscriber = await broker.subscribe(queue);
  const stopListening = broker.onUp(resync);
  following.start(deps.credentialsRefreshMs);
  const watch = watchBacklog({
    ...{ backlog, broker, log },
    owners: confirmingOwners(platformContracts),
    everyMs: deps.backlogEveryMs,
  });
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
