import { connectionsTo } from './connection/connection';
import { BrokerDeadLetters } from './inbound/dead-letters';
import { declareExchanges, TopologyNames } from './topology/topology-names';
import { Management, vhostOf } from './topology/management';
import { commandQueue, retrySteps, rpcQueue, retryingQueue } from './topology/queues';

const connectionName = 'launcher';

/**
 * Claims a platform's name on the broker, as every service does when it connects.
 * @throws PrefixTakenError if another installation has the name
 */
export function claimPlatform(url: string, platform: string, installation: string): Promise<void> {
  return connectionsTo(url, connectionName)(declareExchanges(new TopologyNames(platform), installation));
}

export interface PlatformRemoval {
  readonly url: string;
  /** The management interface. Without it, integrators cannot have been given queues. */
  readonly managementUrl: string | undefined;
  readonly platform: string;
  /** The services that have queues for requests and commands. */
  readonly owners: readonly string[];
}

/**
 * Deletes all queues and exchanges of a platform. AMQP cannot list them, so their names come from the registry of
 * queues and from the owners.
 * @throws Error if the platform is running
 */
export async function removePlatform({
  url,
  managementUrl,
  platform,
  owners,
}: PlatformRemoval): Promise<void> {
  const names = new TopologyNames(platform);
  const withConnection = connectionsTo(url, connectionName);
  const ofRequests = owners
    .flatMap((owner) => [rpcQueue(owner, 'command'), rpcQueue(owner, 'query')])
    .map((queue) => names.queue(queue));
  const registered = await new BrokerDeadLetters(names, withConnection, Date.now).queues();
  const retried = [...new Set([...registered, ...owners.map(commandQueue)])].flatMap((queue) => {
    const { main, satellites } = retryingQueue(names.queue(queue), retrySteps, []);
    return [main, ...satellites].map(({ name }) => name);
  });
  await withConnection(async (connection) => {
    for (const queue of ofRequests)
      if (((await connection.checkQueue(queue))?.consumerCount ?? 0) > 0)
        throw new Error(`The platform ${platform} is running on this broker: stop it first.`);
    await connection.withChannel(async (channel) => {
      for (const queue of [...retried, ...ofRequests, names.registry]) await channel.deleteQueue(queue);
      for (const exchange of [names.events, names.internalEvents, names.commands, names.installation])
        await channel.deleteExchange(exchange);
    });
  });
  if (managementUrl !== undefined) await removeAccess(new Management(managementUrl), vhostOf(url), names);
}

/** Deletes what was created through the management interface: integrators' queues, exchanges and users, and policies. */
async function removeAccess(management: Management, vhost: string, names: TopologyNames): Promise<void> {
  for (const kind of [['queues', vhost], ['exchanges', vhost], ['policies', vhost], ['users']]) {
    for (const name of await management.list(kind))
      if (name.startsWith(names.queue(''))) await management.call('DELETE', [...kind, name]);
  }
}
