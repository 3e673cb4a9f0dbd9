import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { electLeaders } from './leaderless-queues';
import { loadModules } from './load-modules';
import { freePort } from './network';

/** Where packages put the server itself, which is not always on the PATH. */
const serverPaths = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/opt/rabbitmq/sbin/rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
];

const bootTimeoutMs = 90_000;
/** A member of a cluster loads its tables from the others before it answers. */
const memberBootTimeoutMs = 180_000;
const stopTimeoutMs = 20_000;
const controlTimeoutMs = 60_000;
const probeIntervalMs = 40;

export interface RabbitOptions {
  /** The data folder. Default: a new temporary folder, which `dispose` removes. */
  readonly dir?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** The number of Erlang scheduler threads. One keeps test brokers small. */
  readonly schedulers?: number;
  /** The node's only user. Default: RabbitMQ's user `guest`. */
  readonly user?: RabbitUser;
  /** True to enable the management interface over HTTP, on loopback only. */
  readonly managed?: boolean;
  /** True to serve metrics for Prometheus over HTTP, on loopback only. */
  readonly metrics?: boolean;
  /** The node's cluster, if it belongs to one. */
  readonly cluster?: RabbitCluster;
  /** Additional lines of `rabbitmq.conf`. */
  readonly configuration?: readonly string[];
  /** Called if the node ends without having been stopped or killed by this process. */
  readonly onUnexpectedExit?: (reason: string) => void;
}

export interface RabbitUser {
  readonly name: string;
  /** It must not contain characters that need escaping in a URL. */
  readonly password: string;
}

export interface RabbitCluster {
  /** The shared secret of the nodes. */
  readonly cookie: string;
  /** The `nodeName` of the first node, which the other nodes join. */
  readonly first?: string;
}

/** A private RabbitMQ node, independent of other nodes on the machine. */
export interface Rabbit {
  readonly url: string;
  /** The URL of the management interface with user and password, if it is enabled. */
  readonly managementUrl: string | undefined;
  /** The port of its metrics, if they are enabled. */
  readonly metricsPort: number | undefined;
  readonly port: number;
  readonly nodeName: string;
  readonly dir: string;
  /** The process id of the Erlang VM while it runs. */
  readonly pid: number | undefined;
  /** Starts the node again with the same port and data, and waits until it accepts connections. */
  start(): Promise<void>;
  /** Stops the node and keeps its data. */
  stop(): Promise<void>;
  /** Kills the node, as in a power failure. */
  kill(): Promise<void>;
  /** Freezes the node (true), as if the machine hung, or resumes it. */
  freeze(on: boolean): void;
  /** Raises or clears the memory alarm, which blocks publishers but not consumers. */
  alarm(on: boolean): Promise<void>;
  /** Closes all client connections on the broker's side. */
  closeConnections(): Promise<void>;
  /** Runs `rabbitmqctl` on this node. */
  control(...args: string[]): Promise<string>;
  /** Removes all data of a stopped node, so that it starts like a new one. */
  wipe(): void;
  /** Stops the node and removes its folder if that is temporary. */
  dispose(): Promise<void>;
}

/**
 * The time after which dead letters that no queue has confirmed are routed again. Queues recover before exchanges do: what
 * expired in a retry queue while the node was down finds no exchange, and waits for this time; by default three minutes.
 */
const deadLettersAgainMs = 3_000;

const orphanFile = 'node.pid';
/** The Erlang script that the node runs after its start. */
const startScript = 'started.erl';
/** The one that it runs before. */
const loadScript = 'load.erl';

/**
 * Erlang code that stops the node when its standard input ends, which is a pipe from the process that started it: so the
 * node does not outlive a launcher that is killed with SIGKILL.
 */
const endWithLauncher = `
spawn(fun() ->
  Input = open_port({fd, 0, 0}, [in, eof]),
  receive {Input, eof} -> init:stop() end
end).
`;

/** True if the process is a broker with its data in this folder, according to its environment. */
function isNodeOf(dir: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(path.join(dir, 'data'));
  } catch {
    return false;
  }
}

/** Stops a node on the same data that an earlier, killed process has left behind. */
async function endOrphan(dir: string): Promise<void> {
  const file = path.join(dir, orphanFile);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!(pid > 0) || !isNodeOf(dir, pid)) return;
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + stopTimeoutMs;
  while (isNodeOf(dir, pid)) {
    if (Date.now() > deadline) throw new Error(`the broker ${pid} of an earlier run does not end`);
    await pause(probeIntervalMs);
  }
}

/**
 * The server that a name on the PATH leads to. Debian's is a wrapper that changes user and folders, and a shim of a
 * version manager needs another HOME; the server itself has its parts beside it.
 */
function serverIn(folder: string): string | undefined {
  const file = path.join(folder, 'rabbitmq-server');
  if (!existsSync(file)) return undefined;
  const server = realpathSync(file);
  const isServer =
    path.basename(server) === 'rabbitmq-server' &&
    existsSync(path.join(path.dirname(server), 'rabbitmq-env'));
  return isServer ? server : undefined;
}

/** The path of an installed RabbitMQ server, if there is one: the first on the PATH, else that of a package. */
export function rabbitServerPath(
  searchPath = process.env['PATH'] ?? '',
  exists: (file: string) => boolean = (file) => existsSync(file),
): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  const found = folders.map(serverIn).find((server) => server !== undefined);
  return found ?? serverPaths.find((candidate) => exists(candidate));
}

/** True if an AMQP server responds to the protocol header on this port. */
function speaksAmqp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('connect', () => socket.write(Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Keeps a private node small and accessible only from this machine. */
const configuration = [
  'listeners.tcp.default = 127.0.0.1:PORT',
  'disk_free_limit.absolute = 50MB',
  'raft.wal_max_size_bytes = 67108864',
  'log.console = false',
  'log.file.level = warning',
  'log.file.rotation.size = 10485760',
  'log.file.rotation.count = 2',
  '',
].join('\n');

/** The management interface is used for administration only. The services have their own metrics. */
const managementConfiguration = [
  'management.tcp.ip = 127.0.0.1',
  'management.tcp.port = PORT',
  'management.disable_stats = true',
  'management_agent.disable_metrics_collector = true',
  '',
].join('\n');

const metricsConfiguration = ['prometheus.tcp.ip = 127.0.0.1', 'prometheus.tcp.port = PORT', ''].join('\n');

const clusterConfiguration = [
  'cluster_formation.peer_discovery_backend = classic_config',
  'cluster_formation.classic_config.nodes.1 = FIRST',
  '',
].join('\n');

interface Place {
  readonly dir: string;
  readonly port: number;
  readonly nodeName: string;
  /** Undefined for a node without management interface. */
  readonly managementPort: number | undefined;
  /** Undefined for a node without metrics. */
  readonly metricsPort: number | undefined;
  readonly user: RabbitUser | undefined;
  readonly cluster: RabbitCluster | undefined;
  readonly configuration: readonly string[];
}

function environment(place: Place, distPort: number, schedulers: number): NodeJS.ProcessEnv {
  const inside = (name: string) => path.join(place.dir, name);
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    // The Erlang cookie is stored in HOME, so that only nodes with the same cookie can connect.
    HOME: place.dir,
    // Makes the script exec the Erlang VM instead of waiting for it in a shell, so that the child process is the
    // broker.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: place.nodeName,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(place.port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: inside('data'),
    RABBITMQ_LOG_BASE: inside('log'),
    RABBITMQ_CONFIG_FILE: inside('rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: inside('enabled_plugins'),
    RABBITMQ_PID_FILE: inside('rabbitmq.pid'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: [
      `+S ${schedulers}:${schedulers} +sbwt none +sbwtdcpu none +sbwtdio none`,
      '-kernel inet_dist_use_interface {127,0,0,1}',
      `-rabbit dead_letter_worker_publisher_confirm_timeout ${deadLettersAgainMs}`,
      `-eval file:script("${startScript}")`,
    ].join(' '),
  };
}

const ownerOnly = 0o600;
/** Erlang requires this mode. */
const ownerReads = 0o400;

function prepare(place: Place): void {
  mkdirSync(path.join(place.dir, 'log'), { recursive: true });
  const { user, port, managementPort, metricsPort } = place;
  const ofUser = user ? `default_user = ${user.name}\ndefault_pass = ${user.password}\n` : '';
  const file = path.join(place.dir, 'rabbitmq.conf');
  const ofManagement =
    managementPort === undefined ? '' : managementConfiguration.replace('PORT', String(managementPort));
  const ofMetrics =
    metricsPort === undefined ? '' : metricsConfiguration.replace('PORT', String(metricsPort));
  const { cookie, first } = place.cluster ?? {};
  const ofCluster = first === undefined ? '' : clusterConfiguration.replace('FIRST', first);
  const further = place.configuration.map((line) => `${line}\n`).join('');
  const text =
    configuration.replace('PORT', String(port)) + ofManagement + ofMetrics + ofUser + ofCluster + further;
  writeFileSync(file, text, { mode: ownerOnly });
  const plugins = [
    ...(managementPort === undefined ? [] : ['rabbitmq_management']),
    ...(metricsPort === undefined ? [] : ['rabbitmq_prometheus']),
  ];
  writeFileSync(path.join(place.dir, 'enabled_plugins'), `[${plugins.join(',')}].\n`);
  writeFileSync(path.join(place.dir, startScript), electLeaders + endWithLauncher);
  writeFileSync(path.join(place.dir, loadScript), loadModules);
  const cookieFile = path.join(place.dir, '.erlang.cookie');
  if (cookie !== undefined && !existsSync(cookieFile))
    writeFileSync(cookieFile, cookie, { mode: ownerReads });
}

/**
 * Starts a private RabbitMQ node and waits until it accepts connections.
 * @throws Error if RabbitMQ is not installed or does not start within 90 s; the log is in `<dir>/log`.
 */
export async function startRabbit(options: RabbitOptions = {}): Promise<Rabbit> {
  const server = rabbitServerPath();
  if (server === undefined) {
    throw new Error('RabbitMQ is not installed: sudo apt-get install -y rabbitmq-server');
  }
  const dir = path.resolve(options.dir ?? mkdtempSync(path.join(tmpdir(), 'rabbitmq-')));
  // The data depend on the node's name, so the name is derived from the folder.
  const name = `receipts-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}@localhost`;
  const { user, cluster, configuration: further = [], onUnexpectedExit } = options;
  const managementPort = options.managed === true ? await freePort() : undefined;
  const metricsPort = options.metrics === true ? await freePort() : undefined;
  const port = options.port ?? (await freePort());
  const ports = { port, managementPort, metricsPort };
  const place: Place = { dir, ...ports, nodeName: name, user, cluster, configuration: further };
  const { name: userName, password } = user ?? { name: 'guest', password: 'guest' };
  const schedulers = options.schedulers ?? 1;
  let child: ChildProcess | undefined;
  let ending = false;
  let exited: Promise<void> = Promise.resolve();

  // The broker must not outlive this process, even if it was not stopped.
  const endWithParent = () => void child?.kill('SIGKILL');
  process.once('exit', endWithParent);

  const ended = async () => {
    if (!child) return;
    const timer = setTimeout(() => child?.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
    child = undefined;
  };
  const run = promisify(execFile);
  const control = async (...args: string[]) => {
    const ctl = path.join(path.dirname(server), 'rabbitmqctl');
    const env = environment(place, 0, 1);
    const { stdout } = await run(ctl, ['-q', ...args], { env, timeout: controlTimeoutMs, cwd: place.dir });
    return stdout;
  };

  const node: Rabbit = {
    url: `amqp://${userName}:${password}@127.0.0.1:${place.port}`,
    managementUrl:
      managementPort === undefined ? undefined : `http://${userName}:${password}@127.0.0.1:${managementPort}`,
    metricsPort,
    port: place.port,
    nodeName: place.nodeName,
    dir,
    get pid() {
      return child?.pid;
    },
    async start() {
      if (child) throw new Error('this broker runs already');
      ending = false;
      await endOrphan(dir);
      prepare(place);
      const env = environment(place, await freePort(), schedulers);
      const beforehand = { ERL_AFLAGS: `-eval 'file:script("${loadScript}")'` };
      const started = spawn(server, [], {
        env: { ...env, ...beforehand },
        cwd: dir,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child = started;
      writeFileSync(path.join(dir, orphanFile), String(started.pid));
      let gone = false;
      exited = new Promise((resolve) => {
        const end = () => {
          gone = true;
          resolve();
        };
        started.once('exit', end);
        started.once('error', end);
      });
      const isStillOurs = () => child === started && !ending;
      const deadline = Date.now() + (cluster ? memberBootTimeoutMs : bootTimeoutMs);
      while (!(await speaksAmqp(place.port))) {
        if (gone || Date.now() > deadline) {
          started.kill('SIGKILL');
          child = undefined;
          throw new Error(`RabbitMQ did not start, see ${path.join(dir, 'log')}`);
        }
        await pause(probeIntervalMs);
      }
      started.once('exit', (code, signal) => {
        if (!isStillOurs()) return;
        child = undefined;
        onUnexpectedExit?.(String(signal ?? code));
      });
    },
    async stop() {
      ending = true;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      await ended();
    },
    async kill() {
      ending = true;
      child?.kill('SIGKILL');
      await ended();
    },
    freeze(on) {
      child?.kill(on ? 'SIGSTOP' : 'SIGCONT');
    },
    async alarm(on) {
      await control('set_vm_memory_high_watermark', on ? '0.000001' : '0.4');
    },
    async closeConnections() {
      await control('close_all_connections', 'closed on purpose');
    },
    control,
    wipe() {
      if (child) throw new Error('stop the broker before its data are removed');
      rmSync(path.join(dir, 'data'), { recursive: true, force: true });
    },
    async dispose() {
      await (options.dir === undefined ? node.kill() : node.stop());
      process.removeListener('exit', endWithParent);
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
  await node.start();
  return node;
}
