import { randomBytes } from 'node:crypto';
import { startRabbit } from '@receipts/local/infrastructure';
import { patiently, until } from './until';

/** A broker for tests that do not break it. */
export interface RabbitForTests {
  readonly url: string;
  /** The URL of the management interface with user and password, if it is known. */
  readonly managementUrl: string | undefined;
  dispose(): Promise<void>;
}

/**
 * The broker for tests that do not affect each other: the one of the whole test run (`TEST_AMQP_URL`), otherwise a
 * private one.
 */
export async function sharedRabbit(): Promise<RabbitForTests> {
  const url = process.env['TEST_AMQP_URL'];
  const managementUrl = process.env['TEST_BROKER_MANAGEMENT_URL'];
  return url === undefined ? startRabbit() : { url, managementUrl, dispose: async () => {} };
}

const requestTimeoutMs = patiently(60_000);

/** @throws Error with the response if the broker rejects the request */
async function manage(managementUrl: string, method: 'PUT' | 'DELETE', ...path: string[]): Promise<void> {
  const { origin, username, password } = new URL(managementUrl);
  const address = `${origin}/api/${path.map(encodeURIComponent).join('/')}`;
  const everything = { configure: '.*', write: '.*', read: '.*' };
  const request = () =>
    fetch(address, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(method === 'PUT' && { body: JSON.stringify(path[0] === 'permissions' ? everything : {}) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  // A node that has just started on a busy machine may close a connection without a response.
  const answer = await until(`${method} ${address} is answered`, () => request().catch(() => undefined));
  if (!answer.ok) throw new Error(`${method} ${address} gave ${answer.status}: ${await answer.text()}`);
}

/**
 * A broker without other queues, exchanges or policies: a new virtual host of the test run's broker if its management
 * interface is known (`TEST_BROKER_MANAGEMENT_URL`), otherwise a private node. A node takes several seconds of CPU time
 * to start, so tests start their own only to kill it or to raise its alarms.
 */
export async function emptyRabbit(): Promise<RabbitForTests> {
  const { TEST_AMQP_URL: sharedUrl, TEST_BROKER_MANAGEMENT_URL: managementUrl } = process.env;
  if (sharedUrl === undefined || managementUrl === undefined) return startRabbit({ managed: true });
  const vhost = `test-${randomBytes(6).toString('hex')}`;
  const url = new URL(sharedUrl);
  await manage(managementUrl, 'PUT', 'vhosts', vhost);
  await manage(managementUrl, 'PUT', 'permissions', vhost, url.username);
  url.pathname = vhost;
  return {
    url: url.href,
    managementUrl,
    dispose: () => manage(managementUrl, 'DELETE', 'vhosts', vhost),
  };
}
