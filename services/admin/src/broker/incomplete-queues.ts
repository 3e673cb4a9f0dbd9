import { ManagementApi, TopologyNames, vhostOf } from '@receipts/messaging';
import type { IntegratorAccessOptions } from './integrator-access';

/** A quorum queue with fewer running members than the cluster could give it. */
export interface IncompleteQueue {
  readonly queue: string;
  readonly members: number;
  readonly expected: number;
}

/** RabbitMQ's default for a new quorum queue in a larger cluster. */
const membersMax = 3;

interface BrokerNode {
  readonly name: string;
  readonly running?: boolean;
}

interface BrokerQueue {
  readonly name: string;
  readonly type?: string;
  /** The nodes of the running members. */
  readonly online?: readonly string[];
}

/**
 * Finds the platform's quorum queues that a running node should be a member of, but is not: RabbitMQ does not make a
 * node that has lost its disk a member again. A node that is down is not missed, since it will be a member again.
 * @throws Error if the broker is unavailable or rejects the request
 */
export async function incompleteQueues({
  managementUrl,
  amqpUrl,
  platform,
}: Omit<IntegratorAccessOptions, 'publicUrl'>): Promise<readonly IncompleteQueue[]> {
  const management = new ManagementApi(managementUrl);
  const prefix = new TopologyNames(platform).queue('');
  const nodes = await management.list<BrokerNode>('nodes');
  const queues = await management.list<BrokerQueue>('queues', vhostOf(amqpUrl));
  const expected = Math.min(nodes.filter(({ running }) => running).length, membersMax);
  return queues
    .filter(({ name, type }) => type === 'quorum' && name.startsWith(prefix))
    .flatMap(({ name, online }) =>
      // A node that has just started does not know the members yet.
      online && online.length < expected
        ? [{ queue: name.slice(prefix.length), members: online.length, expected }]
        : [],
    );
}
