import * as contracts from '@receipts/contracts';
import { startWork } from '@receipts/host';
import type { Broker } from '@receipts/messaging';
import { followCredentials } from './authentication/follow-credentials';
import { followRetailers } from './authentication/follow-retailers';
import type { OpenSeal } from './authentication/credential';
import { createGateway, type GatewayOptions } from './gateway';
import type { Page } from './http/pages';
import { Backlog } from './http/upstream';
import { sitePages } from './http/files';
import { nameSchemas } from './openapi/json-schema';
import { descriptionPages } from './openapi/pages';
import { platformContracts, platformEvents, platformPages } from './platform';
import { watchBacklog } from './watch-backlog';

export interface ServiceDependencies extends Omit<
  GatewayOptions,
  'contracts' | 'broker' | 'credentials' | 'bearer' | 'originsOf' | 'backlog' | 'noteCall'
> {
  readonly broker: Broker;
  readonly openSeal: OpenSeal;
  readonly port: number;
  readonly host: string;
  /** The maximum number of messages in the queues of packets; more packets are rejected. */
  readonly backlogMessagesMax: number;
  /** How often the backlog is polled, in milliseconds; 5 s by default. */
  readonly backlogEveryMs?: number;
}

export interface Service {
  readonly port: number;
  /** True once the credentials have been read for the first time. */
  readonly isReady: boolean;
  /** Stops accepting connections, waits for requests in progress, and reports what they did, within `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * The documentation of the platform. Generating it takes a third of a second.
 */
export function preparePages(version: string, basePath: string): readonly Page[] {
  nameSchemas(contracts);
  return descriptionPages(platformContracts, platformEvents, { version, basePath });
}

/** Everything that the gateway does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log } = deps;
  const { credentials, bearer, calls, reports } = followCredentials(deps);
  const retailers = followRetailers(broker, log);
  const backlog = new Backlog(deps.backlogMessagesMax);
  const server = createGateway({
    ...deps,
    credentials,
    bearer,
    backlog,
    pages: [...deps.pages, ...sitePages()],
    originsOf: retailers.originsOf,
    noteCall: (caller, call) => calls.note(caller, call),
    contracts: [...platformContracts, ...platformPages],
  });
  let port = 0;
  const serve = async () => {
    port = await server.listen(deps.port, deps.host);
    return server;
  };
  const started = await startWork(
    { name: 'gateway', broker, serve },
    {
      copies: [credentials.copy, retailers.copy],
      background: [watchBacklog({ backlog, broker, log, everyMs: deps.backlogEveryMs })],
      outlivesConsumers: [reports],
    },
  );
  return {
    port,
    get isReady() {
      return credentials.copy.isComplete;
    },
    stop: (graceMs) => started.stop(graceMs),
  };
}
