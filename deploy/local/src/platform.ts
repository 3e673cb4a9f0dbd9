import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBroker, type Broker } from './broker';
import { Child } from './child';
import { freePort } from '@receipts/testing';
import { secretsOf, type Secrets } from './secrets';
import { forAnswering, smallHeap } from './node-flags';
import { serviceNames, type ServiceName } from './service-names';
import type { LocalSettings } from './settings';
import { findStore, type Store } from './store';

/** What `demo-credentials.json` holds. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly retailer: string;
  readonly bearer: { readonly kid: string; readonly secret: string; readonly token: string };
  readonly urlSignature: { readonly key: string; readonly secret: string };
  readonly operator: { readonly token: string };
}

export interface PlatformOptions {
  readonly settings: LocalSettings;
  /** Never use a broker or store that happens to listen on the default ports. */
  readonly isolated?: boolean;
  /** How many processes of each service; 1 where absent. */
  readonly instances?: Partial<Record<ServiceName, number>>;
  /** Further variables for every service. */
  readonly env?: NodeJS.ProcessEnv;
  /** Let services that nobody waits for stand back when processors are short. */
  readonly answersFirst?: boolean;
  /** Start a service again when it dies by itself. */
  readonly restart?: boolean;
  readonly say?: (line: string) => void;
}

/** What they do may come a little later: a till has its answer when the broker has the packet, or the store the receipt. */
const backgroundServices: ReadonlySet<ServiceName> = new Set([
  'ingest',
  'transform',
  'delivery',
  'identifier',
]);
const backgroundNiceness = 10;

const root = path.resolve(__dirname, '../../..');
const readyTimeoutMs = 60_000;
const restartDelayMs = 500;
const provisionTimeoutMs = 60_000;

/** Everything that runs on this machine: broker, store, services, and the demo retailer's credentials. */
export class Platform {
  readonly services = new Map<ServiceName, Child[]>();
  readonly baseUrls: string[] = [];
  private stopped = false;

  private constructor(
    readonly settings: LocalSettings,
    readonly broker: Broker,
    readonly store: Store,
    readonly secrets: Secrets,
    private readonly options: PlatformOptions,
  ) {}

  /** Starts everything and returns when every service is ready and the demo retailer is there. */
  static async start(options: PlatformOptions): Promise<Platform> {
    const { settings, isolated = false, say = () => {} } = options;
    mkdirSync(settings.dataDir, { recursive: true });
    const [broker, store] = await Promise.all([
      findBroker({ amqpUrl: settings.amqpUrl, dataDir: settings.dataDir, isolated }, say),
      findStore({ mongodbUri: settings.mongodbUri, dataDir: settings.dataDir, isolated }),
    ]);
    say(`RabbitMQ: ${broker.origin}; MongoDB: ${store.origin}`);
    const platform = new Platform(settings, broker, store, secretsOf(settings.dataDir), options);
    try {
      await platform.startServices();
      await platform.provision();
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
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

  /** The processes of one service. */
  instances(name: ServiceName): readonly Child[] {
    return this.services.get(name) ?? [];
  }

  /** Starts one more process of a service and waits until it is ready. */
  async addInstance(name: ServiceName): Promise<Child> {
    const children = this.services.get(name) ?? [];
    this.services.set(name, children);
    const label = children.length === 0 ? name : `${name}-${children.length + 1}`;
    const child: Child = new Child({
      name: label,
      script: path.join(root, 'services', name, 'dist/main.js'),
      nodeFlags: backgroundServices.has(name) ? smallHeap : forAnswering,
      env: await this.environmentOf(name),
      logDir: path.join(this.settings.dataDir, 'logs'),
      niceness: this.options.answersFirst && backgroundServices.has(name) ? backgroundNiceness : undefined,
      onUnexpectedExit: (reason) => this.onCrash(child, reason),
    });
    children.push(child);
    await child.start(readyTimeoutMs);
    return child;
  }

  /** Stops services first, then the store and the broker, so that nothing in flight is lost. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    const gateways = this.services.get('gateway') ?? [];
    await Promise.all(gateways.map((child) => child.stop()));
    const others = [...this.services.values()].flat().filter((child) => !gateways.includes(child));
    await Promise.all(others.map((child) => child.stop()));
    await Promise.all([this.store.stop(), this.broker.stop()]);
  }

  private async startServices(): Promise<void> {
    const starts = serviceNames.flatMap((name) =>
      Array.from({ length: this.options.instances?.[name] ?? 1 }, () => this.addInstance(name)),
    );
    const results = await Promise.allSettled(starts);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async environmentOf(name: ServiceName): Promise<NodeJS.ProcessEnv> {
    const { settings, secrets } = this;
    const { MONGODB_DATABASE: _perService, PORT: _gatewayOnly, ...inherited } = settings.environment;
    const env: NodeJS.ProcessEnv = {
      ...inherited,
      AMQP_URL: this.broker.url,
      MONGODB_URI: this.store.uri,
      MASTER_KEY: secrets.masterKey,
      ID_SECRET: secrets.idSecret,
      OPERATOR_TOKEN: secrets.operatorToken,
      DATA_DIR: settings.dataDir,
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: '0',
      DRAIN_DELAY_MS: '0',
      ...this.options.env,
    };
    if (name !== 'gateway') return env;
    const port = this.baseUrls.length === 0 && settings.port !== 0 ? settings.port : await freePort();
    this.baseUrls.push(`http://127.0.0.1:${port}`);
    return { ...env, PORT: String(port) };
  }

  /** Makes the demo retailer with its mappings and writes its credentials; changes nothing that is there already. */
  private async provision(): Promise<void> {
    const run = promisify(execFile);
    const env = await this.environmentOf('admin');
    const node = (script: string, ...args: string[]) =>
      run(process.execPath, [path.join(root, script), ...args], { env, timeout: provisionTimeoutMs });
    await node(
      'services/admin/dist/provision.js',
      '--file',
      path.join(root, 'deploy/examples/retailers/demo.json'),
      '--out',
      this.credentialsFile,
      '--base-url',
      this.baseUrl,
    );
    await node(
      'services/transform/dist/load-examples.js',
      '--dir',
      path.join(root, 'deploy/examples/mappings'),
      '--retailer',
      'demo',
    );
  }

  private onCrash(child: Child, reason: string): void {
    this.options.say?.(`${child.name} ended unexpectedly (${reason})`);
    if (!this.options.restart || this.stopped) return;
    setTimeout(() => {
      if (this.stopped) return;
      child.start(readyTimeoutMs).catch((error: Error) => this.onCrash(child, error.message));
    }, restartDelayMs);
  }
}
