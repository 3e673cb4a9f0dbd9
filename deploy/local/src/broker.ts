import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { rabbitServerPath, startRabbit } from '@receipts/testing';
import { isListening } from './network';

/** The broker that the services use, and how to end it if it is ours. */
export interface Broker {
  readonly url: string;
  readonly origin: string;
  /** Ends the broker for good, if it is ours. */
  stop(): Promise<void>;
  /** Stops our own broker in order, to be started again. */
  halt(): Promise<void>;
  /** Ends our own broker as a crash would. */
  kill(): Promise<void>;
  /** Starts our own broker again on the same data and port. */
  start(): Promise<void>;
}

const defaultPort = 5672;

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
export async function findBroker(
  options: { amqpUrl: string | undefined; dataDir: string; isolated: boolean },
  say: (line: string) => void,
): Promise<Broker> {
  if (options.amqpUrl !== undefined) return external(options.amqpUrl, 'AMQP_URL');
  if (!options.isolated && (await isListening(defaultPort))) {
    return external(`amqp://guest:guest@127.0.0.1:${defaultPort}`, `listening on ${defaultPort}`);
  }
  if (rabbitServerPath() === undefined && !installFromDebian(say)) {
    throw new Error(
      'RabbitMQ is needed and was not found. Install it with: sudo apt-get install -y rabbitmq-server\n' +
        '(or set AMQP_URL to a broker of yours)',
    );
  }
  const node = await startRabbit({ dir: path.join(options.dataDir, 'rabbitmq') });
  return {
    url: node.url,
    origin: 'private node',
    stop: () => node.stop(),
    halt: () => node.stop(),
    kill: () => node.kill(),
    start: () => node.start(),
  };
}
