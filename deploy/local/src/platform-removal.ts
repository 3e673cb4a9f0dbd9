import { subscriptionQueues } from '@receipts/contracts';
import { silentLog as log } from '@receipts/kernel';
import {
  commandQueue,
  connectBroker,
  connectionsTo,
  ManagementApi,
  pulseQueue,
  retryingQueue,
  retrySteps,
  rpcQueue,
  standbyQueue,
  TopologyNames,
  vhostOf,
} from '@receipts/messaging';

/**
 * Claims a platform's name on the broker, as every service does when it connects.
 * @throws PrefixTakenError if another installation has the name
 */
export async function claimPlatform(url: string, platform: string, installation: string): Promise<void> {
  const broker = await connectBroker({ url, platform, installation, service: 'launcher', log });
  await broker.close();
}

export interface PlatformRemoval {
  readonly url: string;
  /** The management interface; if undefined, integrators cannot have queues. */
  readonly managementUrl: string | undefined;
  readonly platform: string;
  /** The services that have queues for requests and commands. */
  readonly owners: readonly string[];
}

/**
 * Deletes all queues and exchanges of a platform.
 * @throws Error if the platform is running
 */
export async function removePlatform(removal: PlatformRemoval): Promise<void> {
  const { url, managementUrl, platform, owners } = removal;
  const names = new TopologyNames(platform);
  await checkIsStopped(removal);
  const retrying = [...owners.map(commandQueue), ...Object.values(subscriptionQueues)];
  const queues = retrying.flatMap((queue) => {
    const { main, satellites } = retryingQueue(names.queue(queue), retrySteps, []);
    return [main, ...satellites].map(({ name }) => name);
  });
  // The gateway owns no other queue.
  const pulses = [...owners, 'gateway'].map(pulseQueue);
  const requests = requestQueues(owners);
  queues.push(...[...requests, ...requests.map(standbyQueue), ...pulses].map((queue) => names.queue(queue)));
  await connectionsTo(
    url,
    'launcher',
  )((connection) =>
    connection.withChannel(async (channel) => {
      for (const queue of queues) await channel.deleteQueue(queue);
      for (const exchange of [names.events, names.internalEvents, names.commands, names.installation])
        await channel.deleteExchange(exchange);
    }),
  );
  if (managementUrl !== undefined) await removeAccess(managementUrl, url, `${platform}.`);
}

const requestQueues = (owners: readonly string[]): string[] =>
  owners.flatMap((owner) => [rpcQueue(owner, 'command'), rpcQueue(owner, 'query')]);

async function checkIsStopped({ url, platform, owners }: PlatformRemoval): Promise<void> {
  const broker = await connectBroker({ url, platform, service: 'launcher', log });
  try {
    if ((await broker.depth(requestQueues(owners))).some(({ consumers }) => consumers > 0))
      throw new Error(`The platform ${platform} is running on this broker: stop it first.`);
  } finally {
    await broker.close();
  }
}

/** Deletes what admin created through the management interface: integrators' queues, exchanges and users, and policies. */
async function removeAccess(managementUrl: string, amqpUrl: string, prefix: string): Promise<void> {
  const api = new ManagementApi(managementUrl);
  const vhost = vhostOf(amqpUrl);
  for (const kind of [['queues', vhost], ['exchanges', vhost], ['policies', vhost], ['users']])
    for (const name of await api.namesOf(...kind))
      if (name.startsWith(prefix)) await api.call('DELETE', [...kind, name]);
}
