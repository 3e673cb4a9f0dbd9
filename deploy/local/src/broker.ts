import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { confirm } from './confirm';
import { installHint } from './install-hint';
import { isListening } from './network';
import { startRabbit } from './rabbitmq';
import { rabbitServerPath } from './rabbitmq-server-path';
import { externalServer, type Server } from './server';
import { checkBroker } from './check-connectivity';

/** The broker that the services use. */
export interface Broker extends Server {
  readonly url: string;
  /** The URL of the management interface with user and password, if it is known. */
  readonly managementUrl?: string | undefined;
}

export interface BrokerSearch {
  readonly amqpUrl: string | undefined;
  readonly dataDir: string;
  /** True to ignore a broker that listens on the default port. */
  readonly isolated: boolean;
  /** True to install RabbitMQ without asking. */
  readonly assumeYes?: boolean;
  /** The password of the private node's only user. If absent, RabbitMQ's default user is used. */
  readonly password?: string;
  readonly onUnexpectedExit?: (reason: string) => void;
}

/** The capabilities of a machine. */
export interface Machine {
  readonly defaultPort: number;
  readonly serverPath: () => string | undefined;
  /** True if this user can install packages. */
  readonly canInstall: () => boolean;
  /** Installs RabbitMQ. False if that fails. */
  readonly install: () => boolean;
  /** Undefined if there is no terminal. */
  readonly ask: (question: string) => Promise<boolean | undefined>;
}

const privateUser = 'receipts';

function installFromDebian(): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, encoding: 'utf8' });
  const install = () =>
    apt('install', '-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0', 'rabbitmq-server')
      .status === 0;
  return install() || (apt('update', '-qq').status === 0 && install());
}

const thisMachine: Machine = {
  defaultPort: 5672,
  serverPath: () => rabbitServerPath(),
  canInstall: () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'),
  install: installFromDebian,
  ask: confirm,
};

/** If there is no terminal, installs the package and reports this, so that a script needs no further command. */
async function mayInstall(
  { assumeYes = false }: BrokerSearch,
  { canInstall, ask }: Machine,
): Promise<boolean> {
  if (!canInstall()) return false;
  return (
    assumeYes || (await ask('RabbitMQ is not installed. Install the package rabbitmq-server now?')) !== false
  );
}

function startPrivateNode({ dataDir, password, onUnexpectedExit }: BrokerSearch): Promise<Broker> {
  return startRabbit({
    dir: path.join(dataDir, 'rabbitmq'),
    managed: true,
    ...(password !== undefined && { user: { name: privateUser, password } }),
    ...(onUnexpectedExit && { onUnexpectedExit }),
  });
}

/** The URL of the broker on 5672, which is used if no `rabbitmq-server` is installed. */
export async function findListeningBroker({
  defaultPort,
  serverPath,
}: Pick<Machine, 'defaultPort' | 'serverPath'> = thisMachine): Promise<string | undefined> {
  const isUsed = serverPath() === undefined && (await isListening({ port: defaultPort }));
  return isUsed ? `amqp://guest:guest@127.0.0.1:${defaultPort}` : undefined;
}

/**
 * Finds or starts RabbitMQ: at the given URL, otherwise a private node of an installed `rabbitmq-server`, otherwise a
 * broker on port 5672, otherwise a private node of Debian's package.
 * @throws Error with the command that solves the problem.
 */
export async function findBroker(
  search: BrokerSearch,
  say: (line: string) => void,
  machine: Machine = thisMachine,
): Promise<Broker> {
  const { amqpUrl, isolated } = search;
  const { defaultPort, serverPath, install } = machine;
  if (amqpUrl !== undefined) {
    await checkBroker(amqpUrl, 'AMQP_URL');
    return { url: amqpUrl, ...externalServer('AMQP_URL') };
  }
  if (serverPath() !== undefined) return startPrivateNode(search);
  const url = isolated ? undefined : await findListeningBroker(machine);
  if (url !== undefined) {
    const origin = `listening on ${defaultPort}`;
    await checkBroker(url, `${origin}; set AMQP_URL to use it with other credentials, or another broker`);
    say(
      `No rabbitmq-server is installed: using the RabbitMQ on port ${defaultPort}. Set AMQP_URL to use another.`,
    );
    return { url, ...externalServer(origin) };
  }
  if (await mayInstall(search, machine)) {
    say('Installing the package rabbitmq-server with apt-get.');
    if (install()) return startPrivateNode(search);
  }
  throw new Error(
    `RabbitMQ is required and was not found. Install it with: ${installHint(process.platform)}\n` +
      '(or set AMQP_URL to use an existing broker)',
  );
}
