import { createHash, randomBytes } from 'node:crypto';
import { escaped, Management, vhostOf, withoutCredentials } from './management';
import { Names } from './names';

/** A queue of an integrator's own: what one retailer's events of these routing keys go to. */
export interface IntegratorQueue {
  readonly retailer: string;
  /** Tells the queues of a retailer apart: letters, digits and hyphens. */
  readonly name: string;
  readonly routingKeys: readonly string[];
  /** See `hashedPassword`. */
  readonly passwordHash: string;
}

/**
 * Gives integrators a way to the events on the broker, through its management interface. Each queue has a user of its own, who
 * may read that queue and nothing else: no other queue, no exchange, nothing to declare and nowhere to publish.
 */
export interface IntegratorAccess {
  /** What the queue and its user are called at the broker, and where that is. */
  namesOf(retailer: string, name: string): { readonly queue: string; readonly user: string };
  readonly url: string;
  /** False when the broker does not know the user: never made, or the broker was wiped. */
  isOpen(retailer: string, name: string): Promise<boolean>;
  /** Makes what is not there; the same again changes nothing, so it also mends a broker that was wiped. */
  open(queue: IntegratorQueue): Promise<void>;
  /** Ends the user's connections and removes the queue with all that is in it; what is not there is no fault. */
  close(retailer: string, name: string): Promise<void>;
}

export interface IntegratorAccessOptions {
  /** `http://user:password@host:15672`, of a user that may administer the broker. */
  readonly managementUrl: string;
  /** The address by which the services reach the broker; its path names the virtual host. */
  readonly amqpUrl: string;
  /** The address by which integrators reach it; without user and password. `amqpUrl` unless given. */
  readonly publicUrl?: string | undefined;
  readonly platform?: string;
  /** What one queue keeps; beyond that the oldest events go, so that nobody's absence fills the broker's disk. */
  readonly queueBytesMax: number;
}

const saltBytes = 4;
/** As long as the feed keeps events. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
/** Of one user: enough for every worker of an integrator, too few to wear the broker out. */
const connectionsMax = 20;

/** A password as RabbitMQ keeps it: whoever has this can set the user up again and cannot sign in. */
export function hashedPassword(password: string, salt: Buffer = randomBytes(saltBytes)): string {
  const digest = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, digest]).toString('base64');
}

/**
 * The way of an event: `events` (topic) → `events.by-retailer` (headers) → `events.of.<retailer>` (topic) → the queue. So one
 * event is compared with each retailer that has subscriptions once, however many it has.
 */
export function integratorAccess(options: IntegratorAccessOptions): IntegratorAccess {
  const { amqpUrl, publicUrl = amqpUrl, platform, queueBytesMax } = options;
  const management = new Management(options.managementUrl);
  const names = new Names(platform);
  const vhost = vhostOf(amqpUrl);
  const byRetailer = names.queue('events.by-retailer');
  const exchangeOf = (retailer: string) => names.queue(`events.of.${retailer}`);
  const namesOf = (retailer: string, name: string) => {
    const queue = names.queue(`subscriptions.${retailer}.${name}`);
    return { queue, user: queue };
  };
  const exchange = (name: string, type: string) =>
    management.call('PUT', ['exchanges', vhost, name], { type, durable: true });
  const bind = (source: string, kind: 'e' | 'q', target: string, routingKey: string, args: object = {}) =>
    management.call('POST', ['bindings', vhost, 'e', source, kind, target], {
      routing_key: routingKey,
      arguments: args,
    });
  return {
    namesOf,
    url: withoutCredentials(publicUrl),
    isOpen: (retailer, name) => management.call('GET', ['users', namesOf(retailer, name).user]),
    async open({ retailer, name, routingKeys, passwordHash }) {
      const { queue, user } = namesOf(retailer, name);
      await exchange(names.events, 'topic');
      await exchange(byRetailer, 'headers');
      await exchange(exchangeOf(retailer), 'topic');
      await management.call('PUT', ['queues', vhost, queue], {
        durable: true,
        arguments: {
          'x-queue-type': 'quorum',
          'x-max-length-bytes': queueBytesMax,
          'x-overflow': 'drop-head',
          'x-message-ttl': keptMs,
        },
      });
      for (const key of routingKeys) await bind(exchangeOf(retailer), 'q', queue, key);
      await bind(byRetailer, 'e', exchangeOf(retailer), '', { 'x-match': 'all', retailer });
      await bind(names.events, 'e', byRetailer, '#');
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
