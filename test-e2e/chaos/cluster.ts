import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startRabbit, until, type Rabbit } from '@receipts/testing';
import { ClusterNetwork } from './cluster-network';
import { FaultReport, shortExtent } from './fault-report';
import { closingAlso, openTarget, type Fault, type Print, type Scenario, type Target } from './scenario';

const size = 3;
const faultMs = 30_000;
const betweenMs = 5_000;
const patienceMs = 240_000;
const outageSecondsMax = 10;
const user = { name: 'receipts', password: 'cluster' };

interface Cluster {
  readonly nodes: readonly Rabbit[];
  readonly network: ClusterNetwork;
}

async function startCluster(): Promise<Cluster> {
  const network = ClusterNetwork.create(size);
  const nodes: Rabbit[] = [];
  const cookie = randomBytes(16).toString('hex');
  try {
    for (const own of network.networks) {
      const cluster = { cookie, ...(nodes[0] && { first: nodes[0].nodeName }) };
      nodes.push(await startRabbit({ user, cluster, network: own, port: 5672, schedulers: 2 }));
    }
    return { nodes, network };
  } catch (error) {
    await Promise.all(nodes.map((node) => node.dispose()));
    network.remove();
    throw error;
  }
}

async function stopCluster({ nodes, network }: Cluster): Promise<void> {
  await Promise.all(nodes.map((node) => node.dispose()));
  network.remove();
}

/** The output of a command that may be repeated: a node that is overloaded, or has just recovered, may not respond. */
function ask(node: Rabbit, ...args: string[]): Promise<string> {
  const answer = () => node.control(...args).catch(() => undefined);
  return until(`rabbitmqctl ${args.join(' ')} succeeds`, answer, patienceMs);
}

/** The index of the node to which the gateway's publishing connection goes, which accepts the requests of the tills. */
async function clientsNode({ nodes, network }: Cluster): Promise<number> {
  const listed = await ask(nodes[0]!, 'list_connections', 'host', 'client_properties');
  const line = listed.split('\n').find((text) => text.includes('gateway publishes'));
  return network.networks.findIndex(({ clientAddress }) => line?.startsWith(`${clientAddress}\t`));
}

async function leaderOf(cluster: Cluster, queue: string): Promise<number> {
  const listed = await ask(cluster.nodes[0]!, 'list_queues', 'name', 'leader');
  const line = listed.split('\n').find((text) => text.split('\t')[0]?.endsWith(queue));
  return cluster.nodes.findIndex(({ nodeName }) => line?.includes(nodeName));
}

/** Resolves when all nodes see each other. */
async function isWhole({ nodes }: Cluster): Promise<void> {
  await until(
    'the cluster is whole',
    async () => {
      const status = await nodes[0]!.control('cluster_status', '--formatter', 'json').catch(() => '{}');
      return (JSON.parse(status) as { running_nodes?: string[] }).running_nodes?.length === nodes.length;
    },
    patienceMs,
  );
}

type Choice = (cluster: Cluster) => Promise<number>;

const choices: Readonly<Record<string, Choice>> = {
  "the clients' node": clientsNode,
  "the requests' leader": (cluster) => leaderOf(cluster, '.receipt-store.requests'),
  "the packets' leader": (cluster) => leaderOf(cluster, '.ingest.commands'),
};

type Break = (cluster: Cluster, node: number) => Promise<() => unknown>;

const breaks: Readonly<Record<string, Break>> = {
  async killed({ nodes }, n) {
    await nodes[n]!.kill();
    return () => nodes[n]!.start();
  },
  async frozen({ nodes }, n) {
    nodes[n]!.freeze(true);
    return () => nodes[n]!.freeze(false);
  },
  async 'cut off'({ network }, n) {
    network.cutOff(n, true);
    return () => network.cutOff(n, false);
  },
};

/** Breaks a node, waits, and mends it. */
async function breakNode(cluster: Cluster, choose: Choice, how: Break): Promise<void> {
  const mend = await how(cluster, await choose(cluster));
  await pause(faultMs);
  await mend();
  await isWhole(cluster);
  await pause(betweenMs);
}

/** Returns how long each node was stopping and starting, for comparison with the times without a response. */
async function rollingRestart(cluster: Cluster): Promise<string> {
  const beganAt = performance.now();
  const seconds = () => ((performance.now() - beganAt) / 1_000).toFixed(1);
  const phases: string[] = [];
  for (const [n, node] of cluster.nodes.entries()) {
    const from = seconds();
    await node.stop();
    const stopped = seconds();
    await pause(betweenMs);
    await node.start();
    const started = seconds();
    await isWhole(cluster);
    phases.push(`node ${n + 1} stops at ${from} s, is down at ${stopped} s, up again at ${started} s`);
    await pause(betweenMs);
  }
  return phases.join('; ');
}

/** Nothing can be accepted without a majority, but nothing may be lost. */
async function killTwo({ nodes }: Cluster): Promise<void> {
  const [, second, third] = nodes as [Rabbit, Rabbit, Rabbit];
  await Promise.all([second.kill(), third.kill()]);
  await pause(betweenMs);
  await Promise.all([second.start(), third.start()]);
}

/** A node loses its disk, is removed from the cluster, joins again as a new node, and becomes a member of all queues. */
async function wipe({ nodes }: Cluster): Promise<string> {
  const [first, , third] = nodes as [Rabbit, Rabbit, Rabbit];
  await third.kill();
  await pause(betweenMs);
  third.wipe();
  const forget = () =>
    first.control('forget_cluster_node', third.nodeName).then(
      () => true,
      // An earlier command that timed out may have been successful.
      (error: Error) => /not in the cluster|not_a_cluster_node/.test(error.message),
    );
  await until('the node is forgotten', forget, patienceMs);
  await third.start();
  const listed = async () => {
    const text = await ask(first, 'list_queues', 'name', 'type', 'members');
    const quorum = text.split('\n').filter((line) => line.split('\t')[1] === 'quorum');
    return { all: quorum.length, without: quorum.filter((line) => !line.includes(third.nodeName)).length };
  };
  const before = await listed();
  const grow = () => first.queues('grow', third.nodeName, 'all').catch(() => undefined);
  await until('all queues have the new node as a member', grow, patienceMs);
  const after = await listed();
  return `${before.without} of ${before.all} queues without the new node, ${after.without} after rabbitmq-queues grow`;
}

export function clusterScenario(): Scenario {
  let cluster: Cluster;
  const named = (name: string, inject: () => Promise<string | void>, limit?: number): Fault => ({
    name,
    once: true,
    breaksServer: true,
    traffic: { tills: 9, packetTills: 6, keylessTills: 3 },
    inject,
    ...(limit !== undefined && { outageSecondsMax: limit }),
  });
  const ofNodes = Object.entries(breaks).flatMap(([how, act]) =>
    Object.entries(choices).map(([which, choose]) =>
      named(`${which} ${how}`, () => breakNode(cluster, choose, act), outageSecondsMax),
    ),
  );
  return {
    faults: [
      ...ofNodes,
      named('rolling restart of the brokers', () => rollingRestart(cluster), outageSecondsMax),
      named('two of three nodes killed', () => killTwo(cluster)),
      named('a node loses its disk and joins again', () => wipe(cluster), outageSecondsMax),
    ],
    async open(): Promise<Target> {
      cluster = await startCluster();
      const hosts = cluster.nodes.map(({ url }) => new URL(url).host).join(',');
      const url = `amqp://${user.name}:${user.password}@${hosts}`;
      return closingAlso(openTarget({}, { AMQP_URL: url }), () => stopCluster(cluster));
    },
  };
}

/**
 * Three brokers, of which one is killed, frozen or cut off from the others: the tills must get 201 and 202 again within
 * ten seconds, and nothing may be lost or doubled.
 * @param only runs the faults whose names contain the word
 */
export async function cluster(print: Print, only: string): Promise<boolean> {
  const { faults, open } = clusterScenario();
  const report = new FaultReport(print, shortExtent);
  await report.add({ open, faults: faults.filter(({ name }) => name.includes(only)) });
  return report.close();
}
