import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { rabbitServerPath, startRabbit } from '@receipts/testing';
import { installHint } from './install-hint';
import { isListening } from './network';
import { assertBroker } from './reach';

/** The broker that the services use, and how to end it if it is ours. */
export interface Broker {
  readonly url: string;
  /** Of the management interface, with user and password; undefined where it is not known. */
  readonly managementUrl?: string | undefined;
  readonly origin: string;
  /** Of our own. */
  readonly pid?: number | undefined;
  /** Ends the broker for good, if it is ours. */
  stop(): Promise<void>;
  /** Stops our own broker in order, to be started again. */
  halt(): Promise<void>;
  /** Ends our own broker as a crash would. */
  kill(): Promise<void>;
  /** Starts our own broker again on the same data and port. */
  start(): Promise<void>;
}

export interface BrokerSearch {
  readonly amqpUrl: string | undefined;
  readonly dataDir: string;
  /** Never use a broker that happens to listen on the default port. */
  readonly isolated: boolean;
  /** Of the private node's only user; RabbitMQ's own guest where absent. */
  readonly password?: string;
  readonly onUnexpectedExit?: (reason: string) => void;
}

const defaultPort = 5672;
const privateUser = 'receipts';

function external(url: string, origin: string): Broker {
  const notOurs = () => Promise.reject(new Error('this broker is not ours to stop'));
  return { url, origin, stop: async () => {}, halt: notOurs, kill: notOurs, start: notOurs };
}

function installFromDebian(say: (line: string) => void): boolean {
  const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!canInstall) return false;
  say('Installing RabbitMQ from Debian (once)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, encoding: 'utf8' });
  const install = () =>
    apt('install', '-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0', 'rabbitmq-server')
      .status === 0;
  return install() || (apt('update', '-qq').status === 0 && install());
}

/**
 * Finds or starts RabbitMQ: the given address, else one that listens on 5672, else a private node under the data folder
 * from an installed `rabbitmq-server`, else Debian's package.
 * @throws Error that says which one command helps.
 */
export async function findBroker(search: BrokerSearch, say: (line: string) => void): Promise<Broker> {
  const { amqpUrl, dataDir, isolated, password, onUnexpectedExit } = search;
  if (amqpUrl !== undefined) {
    await assertBroker(amqpUrl, 'AMQP_URL');
    return external(amqpUrl, 'AMQP_URL');
  }
  if (!isolated && (await isListening({ port: defaultPort }))) {
    const url = `amqp://guest:guest@127.0.0.1:${defaultPort}`;
    const origin = `listening on ${defaultPort}`;
    await assertBroker(url, `${origin}; set AMQP_URL to use it with other credentials, or another broker`);
    return external(url, origin);
  }
  if (rabbitServerPath() === undefined && !installFromDebian(say)) {
    throw new Error(
      `RabbitMQ is needed and was not found. Install it with: ${installHint(process.platform)}\n` +
        '(or set AMQP_URL to a broker of yours)',
    );
  }
  const node = await startRabbit({
    dir: path.join(dataDir, 'rabbitmq'),
    managed: true,
    ...(password !== undefined && { user: { name: privateUser, password } }),
    ...(onUnexpectedExit && { onUnexpectedExit }),
  });
  return {
    url: node.url,
    managementUrl: node.managementUrl,
    origin: 'private node',
    get pid() {
      return node.pid;
    },
    stop: () => node.stop(),
    halt: () => node.stop(),
    kill: () => node.kill(),
    start: () => node.start(),
  };
}
