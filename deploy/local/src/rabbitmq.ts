import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pause } from '@receipts/concurrency';
import { freePort } from './network';
import { OwnedProcess, probeIntervalMs, stopTimeoutMs } from './owned-process';
import {
  environment,
  loadScript,
  writeConfiguration,
  type NodeSettings,
  type RabbitCluster,
  type RabbitNetwork,
  type RabbitUser,
} from './rabbitmq-config';
import { rabbitServerPath } from './rabbitmq-server-path';

const controlTimeoutMs = 60_000;
const orphanFile = 'node.pid';
/** An AMQP server responds to it. */
const amqpHeader = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1');

export interface RabbitOptions {
  /** The data folder. Default: a new temporary folder, which `dispose` removes. */
  readonly dir?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** The number of Erlang scheduler threads. One thread keeps test brokers small. */
  readonly schedulers?: number;
  /** The node's only user. Default: RabbitMQ's user `guest`. */
  readonly user?: RabbitUser;
  /** True to enable the management interface over HTTP, on loopback only. */
  readonly managed?: boolean;
  /** True to serve metrics for Prometheus over HTTP, on loopback only. */
  readonly metrics?: boolean;
  /** The node's cluster, if it belongs to one. */
  readonly cluster?: RabbitCluster;
  /** The node's own network, for a node that is to be cut off from the others. Requires root. */
  readonly network?: RabbitNetwork;
  /** Additional lines of `rabbitmq.conf`. */
  readonly configuration?: readonly string[];
  /** Called if the node ends without having been stopped or killed by this process. */
  readonly onUnexpectedExit?: (reason: string) => void;
}

/** True if the process is a broker with its data in this folder, according to its environment. */
function isNodeOf(dir: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(path.join(dir, 'data'));
  } catch {
    return false;
  }
}

/** Stops the node that an earlier process, which was killed, has left running on this data. */
async function endOrphan(dir: string): Promise<void> {
  const file = path.join(dir, orphanFile);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!(pid > 0) || !isNodeOf(dir, pid)) return;
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + stopTimeoutMs;
  while (isNodeOf(dir, pid)) {
    if (Date.now() > deadline) throw new Error(`the broker ${pid} of an earlier run did not exit`);
    await pause(probeIntervalMs);
  }
}

/** A node exits if epmd, with which all nodes register, does not respond within seconds, as on a busy machine. */
const startAttempts = 3;

/** A private RabbitMQ node, independent of other nodes on the machine. */
export class Rabbit extends OwnedProcess {
  readonly origin = 'private node';
  readonly isPrivate = true;
  private distPort = 0;

  constructor(
    private readonly server: string,
    private readonly settings: NodeSettings,
    private readonly options: RabbitOptions,
  ) {
    super('RabbitMQ', options.onUnexpectedExit);
  }

  get url(): string {
    return `amqp://${this.credentials}@${this.host}:${this.port}`;
  }

  /** The URL of the management interface with user and password, if it is enabled. */
  get managementUrl(): string | undefined {
    const { managementPort } = this.settings;
    return managementPort === undefined
      ? undefined
      : `http://${this.credentials}@${this.host}:${managementPort}`;
  }

  private get host(): string {
    return this.settings.network?.clientAddress ?? '127.0.0.1';
  }

  private get credentials(): string {
    const { name, password } = this.settings.user ?? { name: 'guest', password: 'guest' };
    return `${name}:${password}`;
  }

  /** The port of its metrics, if they are enabled. */
  get metricsPort(): number | undefined {
    return this.settings.metricsPort;
  }

  get port(): number {
    return this.settings.port;
  }

  get nodeName(): string {
    return this.settings.nodeName;
  }

  get dir(): string {
    return this.settings.dir;
  }

  override async start(): Promise<void> {
    if (this.running) throw new Error('this broker is already running');
    await endOrphan(this.dir);
    writeConfiguration(this.settings);
    for (let attempt = 1; ; attempt++) {
      this.distPort = await freePort();
      try {
        return await super.start();
      } catch (error) {
        if (attempt === startAttempts) throw error;
      }
    }
  }

  protected spawn(): ChildProcess {
    const env = environment(this.settings, this.distPort, this.options.schedulers ?? 1);
    const [command = '', ...args] = this.inNetwork(this.server);
    const child = spawn(command, args, {
      env: { ...env, ERL_AFLAGS: `-eval 'file:script("${loadScript}")'` },
      cwd: this.dir,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    writeFileSync(path.join(this.dir, orphanFile), String(child.pid));
    return child;
  }

  protected untilReady(): Promise<void> {
    return this.untilListening({ host: this.host, port: this.port }, amqpHeader);
  }

  protected details(): string {
    return `, see ${path.join(this.dir, 'log')}`;
  }

  override stop(): Promise<void> {
    this.freeze(false);
    return super.stop();
  }

  /** Freezes the node (true), as if the machine hung, or resumes it. */
  freeze(on: boolean): void {
    this.child?.kill(on ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Raises or clears the memory alarm, which blocks publishers but not consumers. */
  async alarm(on: boolean): Promise<void> {
    await this.control('set_vm_memory_high_watermark', on ? '0.000001' : '0.4');
  }

  /** Closes all client connections on the broker's side. */
  async closeConnections(): Promise<void> {
    await this.control('close_all_connections', 'closed intentionally');
  }

  /** Runs `rabbitmqctl` on this node. */
  control(...args: string[]): Promise<string> {
    return this.run('rabbitmqctl', args);
  }

  /** Runs `rabbitmq-queues` on this node. */
  queues(...args: string[]): Promise<string> {
    return this.run('rabbitmq-queues', args);
  }

  private async run(tool: string, args: readonly string[]): Promise<string> {
    const file = path.join(path.dirname(this.server), tool);
    const env = environment(this.settings, 0, 1);
    const options = { env, timeout: controlTimeoutMs, cwd: this.dir };
    const [command = '', ...given] = this.inNetwork(file, '-q', ...args);
    return (await promisify(execFile)(command, given, options)).stdout;
  }

  /** A command that runs in the node's network. `ip` replaces itself by the command, which keeps its process id. */
  private inNetwork(...command: readonly string[]): readonly string[] {
    const { network } = this.settings;
    return network === undefined ? command : ['ip', 'netns', 'exec', network.namespace, ...command];
  }

  /** Removes all data of a stopped node, so that it starts like a new node. */
  wipe(): void {
    if (this.running) throw new Error('stop the broker before removing its data');
    rmSync(path.join(this.dir, 'data'), { recursive: true, force: true });
  }

  /** Stops the node and removes its folder if that is temporary. */
  async dispose(): Promise<void> {
    const isTemporary = this.options.dir === undefined;
    await (isTemporary ? this.kill() : this.stop());
    if (isTemporary) rmSync(this.dir, { recursive: true, force: true });
  }
}

/**
 * Starts a private RabbitMQ node and waits until it accepts connections.
 * @throws Error if RabbitMQ is not installed or does not start within 5 minutes; the log is in `<dir>/log`.
 */
export async function startRabbit(options: RabbitOptions = {}): Promise<Rabbit> {
  const server = rabbitServerPath();
  if (server === undefined)
    throw new Error('RabbitMQ is not installed: sudo apt-get install -y rabbitmq-server');
  const { user, cluster, network, configuration = [] } = options;
  const dir = path.resolve(options.dir ?? mkdtempSync(path.join(tmpdir(), 'rabbitmq-')));
  // The data depends on the node's name, so the name is derived from the folder.
  const nodeName = `receipts-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}@${network?.clusterAddress ?? 'localhost'}`;
  const settings: NodeSettings = {
    dir,
    nodeName,
    user,
    cluster,
    network,
    configuration,
    managementPort: options.managed === true ? await freePort() : undefined,
    metricsPort: options.metrics === true ? await freePort() : undefined,
    port: options.port ?? (await freePort()),
  };
  const node = new Rabbit(server, settings, options);
  await node.start();
  return node;
}
