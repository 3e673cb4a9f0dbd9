import * as contracts from '@receipts/contracts';
import { on } from '@receipts/messaging';
import { instanceReported } from '@receipts/host';
import { followCredentials } from './authentication/follow-credentials';
import { followRetailers } from './authentication/follow-retailers';
import { createGateway } from './gateway';
import type { Page } from './http/pages';
import { Backlog } from './http/upstream';
import { sitePages } from './http/files';
import { nameSchemas } from './openapi/json-schema';
import { descriptionPages } from './openapi/pages';
import { platformContracts, platformEvents } from './platform';
import type { Service, ServiceDependencies } from './service-dependencies';
import { confirmingOwners, noteReports, watchBacklog } from './watch-backlog';

/**
 * The documentation of the platform. Generating it takes a third of a second, during which the connection to the broker opens.
 */
export function preparePages(version: string, basePath: string): readonly Page[] {
  nameSchemas(contracts);
  return descriptionPages(platformContracts, platformEvents, { version, basePath });
}

/** Everything that the gateway does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log, ids, http } = deps;
  const pages = [...deps.pages, ...sitePages()];
  const following = followCredentials(deps);
  const { credentials, bearer, calls, subscription, resync } = following;
  const retailers = followRetailers(broker);
  const backlog = new Backlog(deps.backlogMessagesMax);
  const reports = on(instanceReported, (events) => noteReports(backlog, events));
  const queue = {
    queue: 'gateway.on-events',
    subscriptions: [subscription, retailers.subscription, reports],
    exclusive: true,
  };
  const subscriber = await broker.subscribe(queue);
  const stopListening = broker.onConnected(() => {
    resync();
    retailers.forget();
  });
  following.start(deps.credentialsRefreshMs);
  const watch = watchBacklog({
    ...{ backlog, broker, log },
    owners: confirmingOwners(platformContracts),
    everyMs: deps.backlogEveryMs,
  });
  const server = createGateway({
    ...{ ...http, broker, log, ids, pages, credentials, bearer, backlog },
    originsOf: retailers.originsOf,
    noteCall: (caller, call) => calls.note(caller, call),
    contracts: platformContracts,
  });
  return {
    port: await server.listen(deps.port, deps.host),
    get isReady() {
      return credentials.isLoaded;
    },
    async stop(graceMs) {
      await server.close(graceMs);
      void watch.stop();
      stopListening();
      await following.stop();
      await subscriber.close();
    },
  };
}
