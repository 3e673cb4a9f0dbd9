import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findBroker, type Broker } from './broker';
import { Child } from './child';
import { openDataFolder, type DataFolder } from './data-folder';
import { keepLogsSmall } from './log-rotation';
import { assertFree, freePort } from './network';
import { startAgain } from './restarting';
import { claimServers } from './leftovers';
import { addServers, provisionDemo, type DemoCredentials } from './provision';
import { secretsOf, type Secrets } from './secrets';
import { environmentOf, reachable } from './service-environment';
import { startInfrastructure } from './start-infrastructure';
import { forAnswering, forBatches, smallHeap } from './node-flags';
import { serviceNames, type ServiceName } from './service-names';
import type { LocalSettings } from './settings';
import { findDatabase, type DatabaseServer } from './database-server';

export interface PlatformOptions {
  readonly settings: LocalSettings;
  /** True to ignore a broker that listens on the default port. */
  readonly isolated?: boolean;
  /** The number of processes per service; default 1. 0 leaves a service out. */
  readonly instances?: Partial<Record<ServiceName, number>>;
  /** Whether the demo retailer is created; default true. */
  readonly demo?: boolean;
  /** Additional environment variables, for all services or per service. */
  readonly env?: NodeJS.ProcessEnv | ((service: ServiceName) => NodeJS.ProcessEnv);
  /** The folder of the release from which a service is started; default: this release. */
  readonly release?: (service: ServiceName) => string;
  /** The executable of Node.js for the services and the embedded database; default: that of this process. */
  readonly nodePath?: string;
  /** True to install RabbitMQ without asking. */
  readonly assumeYes?: boolean;
  /** True to restart services, private broker and private database after a crash. */
  readonly restart?: boolean;
  readonly say?: (line: string) => void;
  /** Aborts the start, or stops the platform if it has started. */
  readonly signal?: AbortSignal;
  /**
   * Called as soon as the broker or the database turns out to be unusable. The start fails with the same error once
   * everything has stopped.
   */
  readonly failing?: (error: Error) => void;
}

/** Services that callers rarely wait for. They run without the flags `forAnswering` to save memory. */
const quietServices: ReadonlySet<ServiceName> = new Set(['delivery', 'identifier']);

/** Services that have batches of packets or receipts in memory. */
const batchServices: ReadonlySet<ServiceName> = new Set(['ingest', 'transform', 'receipt-store']);

function nodeFlagsOf(name: ServiceName): readonly string[] {
  if (batchServices.has(name)) return forBatches;
  return quietServices.has(name) ? smallHeap : forAnswering();
}

const root = path.resolve(__dirname, '../../..');

/** A platform on this machine: broker, database, services, and the demo retailer's credentials. */
export class Platform {
  readonly services = new Map<ServiceName, Child[]>();
  readonly baseUrls: string[] = [];
  /** The number of processes started so far per service. */
  private readonly started = new Map<ServiceName, number>();
  private stopping: Promise<void> | undefined;
  private endRotation = () => {};
  private firstPort = 0;

  private constructor(
    readonly broker: Broker,
    readonly database: DatabaseServer,
    readonly secrets: Secrets,
    private readonly folder: DataFolder,
    private readonly options: PlatformOptions,
  ) {}

  /** Resolves when all services are ready, and the demo retailer exists if requested. */
  static async start(options: PlatformOptions): Promise<Platform> {
    const { settings } = options;
    if (settings.port !== 0) await assertFree(settings.port, settings.host);
    const folder = await openDataFolder(settings.dataDir);
    let platform: Platform | undefined;
    options.signal?.addEventListener('abort', () => void platform?.stop(), { once: true });
    try {
      platform = await Platform.open(folder, options);
      options.signal?.throwIfAborted();
      await platform.claimServers();
      await platform.startServices();
      if (options.demo ?? true) await platform.provision();
      return platform;
    } catch (error) {
      await (platform?.stop() ?? folder.release());
      throw error;
    }
  }

  /** Finds or starts the broker and the database. */
  private static async open(folder: DataFolder, options: PlatformOptions): Promise<Platform> {
    const { settings, isolated = false, assumeYes = false, say = () => {}, failing = () => {} } = options;
    const { dataDir, amqpUrl, mongodbUri } = settings;
    const secrets = secretsOf(dataDir);
    const platform = (): Platform | undefined => opened;
    const broken = (part: 'broker' | 'database') => (reason: string) => platform()?.onLost(part, reason);
    const [broker, database] = await startInfrastructure(
      findBroker(
        {
          amqpUrl,
          dataDir,
          isolated,
          assumeYes,
          password: secrets.brokerPassword,
          onUnexpectedExit: broken('broker'),
        },
        say,
      ),
      findDatabase({
        mongodbUri,
        dataDir,
        password: secrets.storePassword,
        nodePath: options.nodePath,
        onUnexpectedExit: broken('database'),
      }),
      failing,
    );
    const opened = new Platform(broker, database, secrets, folder, options);
    opened.firstPort = settings.port === 0 ? await freePort() : settings.port;
    say(`RabbitMQ: ${broker.origin}; MongoDB: ${database.origin}; platform: ${opened.name}`);
    opened.endRotation = keepLogsSmall(path.join(dataDir, 'logs'));
    return opened;
  }

  get settings(): LocalSettings {
    return this.options.settings;
  }

  /** The prefix of the names of all queues, exchanges and databases of this platform. */
  get name(): string {
    return this.settings.platform ?? this.secrets.platform;
  }

  /** Identifies the data folder to servers that several platforms share. */
  private get installation(): string {
    return createHash('sha256').update(`installation ${this.secrets.idSecret}`).digest('hex').slice(0, 32);
  }

  get baseUrl(): string {
    return this.baseUrls[0] ?? '';
  }

  get credentialsFile(): string {
    return path.join(this.settings.dataDir, 'demo-credentials.json');
  }

  get credentials(): DemoCredentials {
    return JSON.parse(readFileSync(this.credentialsFile, 'utf8')) as DemoCredentials;
  }

  /** The processes of a service. */
  instances(name: ServiceName): readonly Child[] {
    return this.services.get(name) ?? [];
  }

  /** Starts another process of a service and waits until it is ready. */
  async addInstance(name: ServiceName): Promise<Child> {
    const children = this.services.get(name) ?? [];
    this.services.set(name, children);
    const number = (this.started.get(name) ?? 0) + 1;
    this.started.set(name, number);
    const child: Child = new Child({
      name: number === 1 ? name : `${name}-${number}`,
      script: path.join(this.releaseOf(name), 'services', name, 'dist/main.js'),
      nodeFlags: nodeFlagsOf(name),
      nodePath: this.options.nodePath,
      env: await this.environmentOf(name),
      logDir: path.join(this.settings.dataDir, 'logs'),
      onUnexpectedExit: (reason) => this.onCrash(child, reason),
    });
    if (this.stopping) throw new Error('the platform is stopping');
    children.push(child);
    await child.start();
    return child;
  }

  /**
   * Starts another process of a service, waits until it is ready, and stops the given process, as in a rolling update.
   */
  async replace(name: ServiceName, child: Child): Promise<void> {
    await this.addInstance(name);
    await child.stop();
    const others = this.instances(name).filter((other) => other !== child);
    this.services.set(name, others);
  }

  /**
   * Stops the gateways, then the other services, then the database and the broker, so that no request in progress is
   * lost.
   * @param discardsData whether the data will be deleted, in which case nothing needs to stop in order
   */
  stop({ discardsData = false } = {}): Promise<void> {
    return (this.stopping ??= this.stopAll(discardsData));
  }

  private async stopAll(discardsData: boolean): Promise<void> {
    const end = (children: readonly Child[]) =>
      Promise.all(children.map((child) => child[discardsData ? 'kill' : 'stop']()));
    const gateways = this.instances('gateway');
    await end(gateways);
    await end([...this.services.values()].flat().filter((child) => !gateways.includes(child)));
    // RabbitMQ takes 6 s to stop if its management plugin is enabled.
    const endBroker = discardsData && this.broker.isPrivate ? this.broker.kill() : this.broker.stop();
    await Promise.all([this.database.stop(), endBroker]);
    this.endRotation();
    await this.folder.release();
  }

  /** @throws a one-line Error if another platform has this platform's name on a shared server */
  private claimServers(): Promise<void> {
    const { broker, database, name: platform, installation } = this;
    return claimServers({
      amqpUrl: broker.isPrivate ? undefined : broker.url,
      mongodbUri: database.isPrivate ? undefined : database.uri,
      platform,
      installation,
    });
  }

  private async startServices(): Promise<void> {
    const starts = serviceNames.flatMap((name) =>
      Array.from({ length: this.options.instances?.[name] ?? 1 }, () => this.addInstance(name)),
    );
    const results = await Promise.allSettled(starts);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private releaseOf(name: ServiceName): string {
    return this.options.release?.(name) ?? root;
  }

  private async environmentOf(name: ServiceName): Promise<NodeJS.ProcessEnv> {
    const { settings, secrets, broker, database, firstPort, installation } = this;
    const { env: further = {} } = this.options;
    const publicUrl = `http://${reachable(settings.host)}:${firstPort}`;
    const servers = { broker, database, publicUrl, platform: this.name, installation };
    const env = {
      ...environmentOf(name, settings, secrets, servers),
      ...(typeof further === 'function' ? further(name) : further),
    };
    if (name !== 'gateway') return env;
    const port = this.baseUrls.length === 0 ? firstPort : await freePort();
    const scheme = env['TLS_CERT_FILE'] ? 'https' : 'http';
    this.baseUrls.push(`${scheme}://${reachable(settings.host)}:${port}`);
    return { ...env, HOST: settings.host, PORT: String(port) };
  }

  /** Creates the demo retailer with its mappings, and writes its credentials. Existing objects are not changed. */
  private async provision(): Promise<void> {
    const { broker, database, name, credentialsFile, baseUrl } = this;
    const { signal } = this.options;
    const { operatorToken } = this.secrets;
    await provisionDemo({ credentialsFile, baseUrl, operatorToken, signal });
    addServers(credentialsFile, {
      broker: { url: broker.url, exchange: `${name}.events`, isPrivate: broker.isPrivate },
      database: { uri: database.uri, platform: name, isPrivate: database.isPrivate },
    });
  }

  private onCrash(child: Child, reason: string): void {
    this.onEnd(child.name, reason, () => child.start());
  }

  private onLost(part: 'broker' | 'database', reason: string): void {
    const { name, start } = {
      broker: { name: 'RabbitMQ', start: () => this.broker.start() },
      database: { name: 'MongoDB', start: () => this.database.start() },
    }[part];
    this.onEnd(name, reason, start);
  }

  private onEnd(name: string, reason: string, start: () => Promise<void>): void {
    const { restart, say = () => {} } = this.options;
    if (this.stopping) return;
    if (!restart) return say(`${name} ended unexpectedly (${reason})`);
    void startAgain({ name, start, say, isOver: () => this.stopping !== undefined }, reason);
  }
}
