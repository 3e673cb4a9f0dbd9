import { createHash, randomBytes } from 'node:crypto';
import {
  deadLetterQueue,
  escaped,
  integratorArguments,
  integratorDeadLetterArguments,
  integratorDeadLetterReasons,
  integratorQueue,
  integratorQueues,
  ManagementApi,
  TopologyNames,
  vhostOf,
  withoutCredentials,
} from '@receipts/messaging';

/** An integrator's queue, which receives one retailer's events with these routing keys. */
export interface IntegratorQueue {
  readonly retailer: string;
  /** Distinguishes the queues of a retailer: letters, digits and hyphens. */
  readonly name: string;
  readonly routingKeys: readonly string[];
  /** See `hashedPassword`. */
  readonly passwordHash: string;
}

/**
 * Gives integrators access to events on the broker, through its management API. Each queue has its own user, which may
 * only read this queue: it cannot read other queues, declare anything, or publish.
 */
export interface IntegratorAccess {
  /** The name of the queue and of its user in the broker. */
  namesOf(retailer: string, name: string): { readonly queue: string; readonly user: string };
  readonly url: string;
  /**
   * False if the queue or the permissions are missing: `open` never ran or was interrupted, or the broker has lost them.
   */
  isOpen(retailer: string, name: string): Promise<boolean>;
  /** Creates the queue for the dead letters of all integrators. Idempotent. */
  openDeadLetters(): Promise<void>;
  /** Creates what is missing. Idempotent, so it also restores access on a broker that was wiped. */
  open(queue: IntegratorQueue): Promise<void>;
  /**
   * Deletes the user, which ends its connections, and the queue with its messages. If they do not exist, this is not an
   * error.
   */
  close(retailer: string, name: string): Promise<void>;
}

export interface IntegratorAccessOptions {
  /** `http://user:password@host:15672`; the user must be allowed to administer the broker and set policies. */
  readonly managementUrl: string;
  /** The URL by which the services reach the broker; its path contains the virtual host. */
  readonly amqpUrl: string;
  /** The URL by which integrators reach the broker, without user and password; default `amqpUrl`. */
  readonly publicUrl?: string | undefined;
  readonly platform?: string;
}

const saltBytes = 4;
/** Per user: enough for all workers of an integrator without overloading the broker. */
const connectionsMax = 20;

/** A password in RabbitMQ's hash format: it suffices to recreate the user, but not to log in. */
export function hashedPassword(password: string, salt: Buffer = randomBytes(saltBytes)): string {
  const digest = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, digest]).toString('base64');
}

/** Declares the exchanges and queues between the platform's events and integrators. */
function integratorRoutes(management: ManagementApi, names: TopologyNames, vhost: string) {
  const byRetailer = names.queue('events.by-retailer');
  const undelivered = names.queue('events.undelivered');
  const deadLetters = names.queue(deadLetterQueue(integratorQueues));
  const declareExchange = (name: string, type: string) =>
    management.call('PUT', ['exchanges', vhost, name], { type, durable: true });
  const declareQueue = (name: string, args: object) =>
    management.call('PUT', ['queues', vhost, name], { durable: true, arguments: args });
  const bind = (source: string, kind: 'e' | 'q', target: string, routingKey: string, args: object = {}) =>
    management.call('POST', ['bindings', vhost, 'e', source, kind, target], {
      routing_key: routingKey,
      arguments: args,
    });
  const openDeadLetters = async () => {
    await declareExchange(undelivered, 'headers');
    await declareQueue(deadLetters, integratorDeadLetterArguments);
    for (const reason of integratorDeadLetterReasons)
      await bind(undelivered, 'q', deadLetters, reason, {
        // Headers that begin with "x-" count only for this kind of match.
        'x-match': 'all-with-x',
        'x-first-death-reason': reason,
      });
  };
  const openQueue = async (retailer: string, queue: string, routingKeys: readonly string[]) => {
    const ofRetailer = names.queue(`events.of.${retailer}`);
    await declareExchange(names.events, 'topic');
    await declareExchange(byRetailer, 'headers');
    await declareExchange(ofRetailer, 'topic');
    await openDeadLetters();
    await declareQueue(queue, integratorArguments(undelivered));
    for (const key of routingKeys) await bind(ofRetailer, 'q', queue, key);
    await bind(byRetailer, 'e', ofRetailer, '', { 'x-match': 'all', retailer });
    await bind(names.events, 'e', byRetailer, '#');
  };
  return { openDeadLetters, openQueue };
}

/**
 * Events are routed from `events` (topic) via `events.by-retailer` (headers) and `events.of.<retailer>` (topic) to the
 * queue. Each event is thus matched once per retailer with subscriptions, no matter how many queues it has. An event
 * that a consumer rejects, or never acknowledges, goes to `events.undelivered` (headers) and from there to the dead
 * letters of all integrators.
 */
export function integratorAccess(options: IntegratorAccessOptions): IntegratorAccess {
  const { amqpUrl, publicUrl = amqpUrl, platform } = options;
  const management = new ManagementApi(options.managementUrl);
  const names = new TopologyNames(platform);
  const vhost = vhostOf(amqpUrl);
  const { openDeadLetters, openQueue } = integratorRoutes(management, names, vhost);
  const namesOf = (retailer: string, name: string) => {
    const queue = names.queue(integratorQueue(retailer, name));
    return { queue, user: queue };
  };
  return {
    namesOf,
    url: withoutCredentials(publicUrl),
    openDeadLetters,
    async isOpen(retailer, name) {
      const { queue, user } = namesOf(retailer, name);
      const hasQueue = await management.call('GET', ['queues', vhost, queue]);
      return hasQueue && management.call('GET', ['permissions', vhost, user]);
    },
    async open({ retailer, name, routingKeys, passwordHash }) {
      const { queue, user } = namesOf(retailer, name);
      // Revoked first and granted last, so that permissions without the other parts are never taken for an open queue.
      await management.call('DELETE', ['permissions', vhost, user]);
      await openQueue(retailer, queue, routingKeys);
      await management.call('PUT', ['users', user], {
        password_hash: passwordHash,
        hashing_algorithm: 'rabbit_password_hashing_sha256',
        tags: '',
      });
      await management.call('PUT', ['user-limits', user, 'max-connections'], { value: connectionsMax });
      await management.call('PUT', ['permissions', vhost, user], {
        configure: '^$',
        write: '^$',
        read: `^${escaped(queue)}$`,
      });
    },
    async close(retailer, name) {
      const { queue, user } = namesOf(retailer, name);
      await management.call('DELETE', ['users', user]);
      await management.call('DELETE', ['queues', vhost, queue]);
    },
  };
}
