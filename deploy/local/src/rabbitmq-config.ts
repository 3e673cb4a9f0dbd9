import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { electLeaders } from './leaderless-queues';
import { loadModules } from './load-modules';

export interface RabbitUser {
  readonly name: string;
  /** Must not contain characters that have to be escaped in a URL. */
  readonly password: string;
}

export interface RabbitCluster {
  /** The shared secret of the nodes. */
  readonly cookie: string;
  /** The `nodeName` of the first node, which the other nodes join. */
  readonly first?: string;
}

/** Where a node runs that has a network of its own, so that it can be cut off from the others. */
export interface RabbitNetwork {
  /** The name of the network namespace. */
  readonly namespace: string;
  /** The address for clients. */
  readonly clientAddress: string;
  /** The address for the other nodes. */
  readonly clusterAddress: string;
}

const loopback = '127.0.0.1';

/**
 * The time after which dead letters that no queue has confirmed are routed again. Queues recover before exchanges do. A
 * message that expired in a retry queue while the node was down therefore finds no exchange and waits for this time.
 * RabbitMQ's default is three minutes.
 */
const deadLettersAgainMs = 3_000;

/**
 * How soon the nodes of a cluster notice that another hangs or is cut off: they look every second, and then elect other
 * leaders. RabbitMQ's defaults, 5 s and a minute, take far longer than clients are prepared to wait.
 */
const clusterArguments = ['-aten poll_interval 1000', '-kernel net_ticktime 8'];

/** The Erlang script that the node runs after its start. */
const startScript = 'started.erl';
/** The script that the node runs before its start. */
export const loadScript = 'load.erl';

/**
 * Erlang code that stops the node when its standard input, a pipe from the process that started it, ends. The node
 * therefore does not outlive a launcher that is killed with SIGKILL.
 */
const endWithLauncher = `
spawn(fun() ->
  Input = open_port({fd, 0, 0}, [in, eof]),
  receive {Input, eof} -> init:stop() end
end).
`;

/** The configuration of a node. */
export interface NodeSettings {
  readonly dir: string;
  readonly port: number;
  readonly nodeName: string;
  /** Undefined for a node without a management interface. */
  readonly managementPort: number | undefined;
  /** Undefined for a node without metrics. */
  readonly metricsPort: number | undefined;
  readonly user: RabbitUser | undefined;
  readonly cluster: RabbitCluster | undefined;
  /** Undefined for a node that is accessible only from this machine. */
  readonly network: RabbitNetwork | undefined;
  readonly configuration: readonly string[];
}

export function environment(node: NodeSettings, distPort: number, schedulers: number): NodeJS.ProcessEnv {
  const inside = (name: string) => path.join(node.dir, name);
  const { clientAddress = loopback, clusterAddress = loopback } = node.network ?? {};
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    // The Erlang cookie is stored in HOME, so that only nodes with the same cookie can connect.
    HOME: node.dir,
    // Makes the script exec the Erlang VM instead of waiting for it in a shell, so that the child process is the
    // broker.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_EPMD_ADDRESS: clusterAddress,
    RABBITMQ_NODENAME: node.nodeName,
    RABBITMQ_NODE_IP_ADDRESS: clientAddress,
    RABBITMQ_USE_LONGNAME: String(node.network !== undefined),
    RABBITMQ_NODE_PORT: String(node.port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: inside('data'),
    RABBITMQ_LOG_BASE: inside('log'),
    RABBITMQ_CONFIG_FILE: inside('rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: inside('enabled_plugins'),
    RABBITMQ_PID_FILE: inside('rabbitmq.pid'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: [
      `+S ${schedulers}:${schedulers} +sbwt none +sbwtdcpu none +sbwtdio none`,
      `-kernel inet_dist_use_interface {${clusterAddress.replaceAll('.', ',')}}`,
      `-rabbit dead_letter_worker_publisher_confirm_timeout ${deadLettersAgainMs}`,
      ...(node.cluster === undefined ? [] : clusterArguments),
      `-eval file:script("${startScript}")`,
    ].join(' '),
  };
}

/** Keeps a private node small and accessible only from this machine. */
function configurationOf(node: NodeSettings) {
  const { user, port, managementPort, metricsPort, cluster, network, configuration } = node;
  const { clientAddress = loopback } = network ?? {};
  return [
    `listeners.tcp.default = ${clientAddress}:${port}`,
    'disk_free_limit.absolute = 50MB',
    'raft.wal_max_size_bytes = 67108864',
    'log.console = false',
    'log.file.level = warning',
    'log.file.rotation.size = 10485760',
    'log.file.rotation.count = 2',
    ...(managementPort === undefined
      ? []
      : [`management.tcp.ip = ${clientAddress}`, `management.tcp.port = ${managementPort}`]),
    ...(metricsPort === undefined
      ? []
      : ['prometheus.tcp.ip = 127.0.0.1', `prometheus.tcp.port = ${metricsPort}`]),
    ...(user ? [`default_user = ${user.name}`, `default_pass = ${user.password}`] : []),
    ...(cluster?.first === undefined
      ? []
      : [
          'cluster_formation.peer_discovery_backend = classic_config',
          `cluster_formation.classic_config.nodes.1 = ${cluster.first}`,
        ]),
    ...configuration,
  ];
}

const ownerOnly = 0o600;
/** Erlang requires this mode. */
const ownerReads = 0o400;

/** Writes the files that a node reads when it starts. */
export function writeConfiguration(node: NodeSettings): void {
  const { dir, managementPort, metricsPort, cluster } = node;
  const write = (name: string, text: string, mode?: number) =>
    writeFileSync(path.join(dir, name), text, mode === undefined ? {} : { mode });
  mkdirSync(path.join(dir, 'log'), { recursive: true });
  write('rabbitmq.conf', `${configurationOf(node).join('\n')}\n`, ownerOnly);
  const plugins = [
    ...(managementPort === undefined ? [] : ['rabbitmq_management']),
    ...(metricsPort === undefined ? [] : ['rabbitmq_prometheus']),
  ];
  write('enabled_plugins', `[${plugins.join(',')}].\n`);
  write(startScript, electLeaders + endWithLauncher);
  write(loadScript, loadModules);
  if (cluster !== undefined && !existsSync(path.join(dir, '.erlang.cookie')))
    write('.erlang.cookie', cluster.cookie, ownerReads);
}
