export interface RetryStep {
  readonly suffix: string;
  readonly delayMs: number;
}

/** The delays before retries after transient failures; the last delay repeats. */
export const retrySteps: readonly RetryStep[] = [
  { suffix: 'retry.1s', delayMs: 1_000 },
  { suffix: 'retry.10s', delayMs: 10_000 },
  { suffix: 'retry.60s', delayMs: 60_000 },
  { suffix: 'retry.10m', delayMs: 600_000 },
];

/** A backstop for messages that kill their consumers: RabbitMQ counts a lost consumer as a failed delivery. */
const deliveriesMax = 20;
/** The broker dead-letters a quarantined message after this many failed deliveries. */
const quarantineDeliveriesMax = 5;
/** Reading a message also counts as a delivery, and newer brokers drop a message after 20 deliveries by default. */
const readsMax = 1_000_000;

export interface QueueDeclaration {
  readonly name: string;
  readonly durable: boolean;
  readonly exclusive: boolean;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Binding {
  readonly exchange: string;
  readonly key: string;
}

/** A queue with its bindings and related queues. Redeclared with the same arguments after every connect. */
export interface QueueSet {
  readonly main: QueueDeclaration;
  /** The retry, quarantine and dead-letter queues of the main queue. */
  readonly satellites?: readonly QueueDeclaration[];
  /** The bindings of the main queue. */
  readonly bindings?: readonly Binding[];
  /** Whether the main queue is bound, asked once it exists; if absent, it is. */
  readonly isBound?: () => Promise<boolean>;
}

export function retryQueue(queue: string, step: RetryStep): string {
  return `${queue}.${step.suffix}`;
}

export function deadLetterQueue(queue: string): string {
  return `${queue}.dead-letters`;
}

/** An exclusive queue that serves as a lock while an operation reads the queue. */
export function readLock(queue: string): string {
  return `${queue}.lock`;
}

/** Holds messages that were in flight more than once when a process crashed. They are consumed one at a time. */
export function quarantineQueue(queue: string): string {
  return `${queue}.quarantine`;
}

export function commandQueue(owner: string): string {
  return `${owner}.commands`;
}

/** The queue for RPC. Commands and queries have separate queues, so that a slow search does not delay a sale. */
export function rpcQueue(owner: string, kind: 'command' | 'query'): string {
  return kind === 'command' ? `${owner}.requests` : `${owner}.queries`;
}

const standbySuffix = '.standby';

/** The queue that takes the requests of another while that is not available. */
export function standbyQueue(queue: string): string {
  return queue + standbySuffix;
}

export function isStandby(queue: string): boolean {
  return queue.endsWith(standbySuffix);
}

/** The queue for the messages that test a service's connections. */
export function pulseQueue(service: string): string {
  return `${service}.pulse`;
}

function durableQueue(name: string, args: Record<string, unknown>): QueueDeclaration {
  return { name, durable: true, exclusive: false, arguments: args };
}

function deadLetterTo(queue: string): Record<string, unknown> {
  return {
    'x-queue-type': 'quorum',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-delivery-limit': deliveriesMax,
    // A dead letter is confirmed by its target queue before it is removed, so it cannot be lost.
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}

/** A durable queue with retry queues, a quarantine queue and a dead-letter queue. */
export function retryingQueue(
  name: string,
  steps: readonly RetryStep[],
  bindings: readonly Binding[],
): Required<Omit<QueueSet, 'isBound'>> {
  return {
    main: durableQueue(name, deadLetterTo(deadLetterQueue(name))),
    satellites: [
      quarantineOf(name).main,
      ...steps.map((step) =>
        durableQueue(retryQueue(name, step), { ...deadLetterTo(name), 'x-message-ttl': step.delayMs }),
      ),
      inspectedQueue(deadLetterQueue(name)),
    ],
    bindings,
  };
}

/** The quarantine queue of a retrying queue. */
export function quarantineOf(name: string): QueueSet {
  const args = {
    ...deadLetterTo(deadLetterQueue(name)),
    'x-delivery-limit': quarantineDeliveriesMax,
  };
  return { main: durableQueue(quarantineQueue(name), args) };
}

/**
 * A queue for RPC. Its messages are worthless after the deadlines of their callers, so they are neither replicated nor
 * dead-lettered. It is durable only because newer brokers accept no other queue that several processes consume.
 */
export function requestQueue(name: string): QueueSet {
  return { main: durableQueue(name, { 'x-queue-type': 'classic' }) };
}

/** The replicated queue that takes the requests while the node of the other is away. */
export function standbyRequestQueue(name: string): QueueSet {
  const args = { 'x-queue-type': 'quorum', 'x-delivery-limit': deliveriesMax };
  return { main: durableQueue(standbyQueue(name), args) };
}

/** A queue for messages that nobody reads, so only the last one is kept. */
export function unreadQueue(name: string): QueueSet {
  const limits = { 'x-max-length': 1, 'x-overflow': 'drop-head', 'x-delivery-limit': deliveriesMax };
  return { main: durableQueue(name, { 'x-queue-type': 'quorum', ...limits }) };
}

/** A queue of one process, deleted with its connection. */
export function privateQueue(name: string, bindings: readonly Binding[]): QueueSet {
  const main = { name, durable: false, exclusive: true, arguments: { 'x-queue-type': 'classic' } };
  return { main, bindings };
}

/** The common name of integrators' queues, which begin with it and share one dead-letter queue. */
export const integratorQueues = 'subscriptions';

/** An integrator's queue. */
export function integratorQueue(retailer: string, name: string): string {
  return `${integratorQueues}.${retailer}.${name}`;
}

/**
 * The maximum size of an integrator's queue. Beyond this size, the oldest events are dropped, so that an absent consumer
 * cannot fill the broker's disk.
 */
const integratorBytesMax = 1024 ** 3;
/** The retention time of the event feed. */
const integratorKeptMs = 30 * 24 * 60 * 60 * 1000;
const integratorLimits = {
  'x-queue-type': 'quorum',
  'x-max-length-bytes': integratorBytesMax,
  'x-overflow': 'drop-head',
  'x-message-ttl': integratorKeptMs,
};

/** The arguments of an integrator's queue. @param deadLetterExchange receives all that the queue drops */
export function integratorArguments(deadLetterExchange: string): Record<string, unknown> {
  return {
    ...integratorLimits,
    'x-delivery-limit': deliveriesMax,
    'x-dead-letter-exchange': deadLetterExchange,
  };
}

/** The arguments of the queue with the dead letters of all integrators. */
export const integratorDeadLetterArguments: Record<string, unknown> = {
  ...integratorLimits,
  'x-delivery-limit': readsMax,
};

/**
 * Why the broker has dropped an event that belongs in the dead letters: it was delivered too often, or rejected. Those
 * that are too old, or too many, are dropped.
 */
export const integratorDeadLetterReasons: readonly string[] = ['delivery_limit', 'rejected'];

/** A queue whose messages are read and returned by operators' tools. */
function inspectedQueue(name: string): QueueDeclaration {
  return durableQueue(name, { 'x-queue-type': 'quorum', 'x-delivery-limit': readsMax });
}
