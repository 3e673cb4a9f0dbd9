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

function durableQueue(name: string, args: Record<string, unknown>): QueueDeclaration {
  return { name, durable: true, exclusive: false, arguments: args };
}

function deadLetterTo(queue: string): Record<string, unknown> {
  return {
    'x-queue-type': 'quorum',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
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
): Required<QueueSet> {
  return {
    main: durableQueue(name, {
      ...deadLetterTo(deadLetterQueue(name)),
      'x-delivery-limit': deliveriesMax,
    }),
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

/** A queue for RPC, whose messages are worthless after the deadlines of their callers. */
export function volatileQueue(name: string): QueueSet {
  return { main: durableQueue(name, { 'x-queue-type': 'classic' }) };
}

/** A queue of one process, deleted with its connection. */
export function privateQueue(name: string, bindings: readonly Binding[]): QueueSet {
  const main = { name, durable: false, exclusive: true, arguments: { 'x-queue-type': 'classic' } };
  return { main, bindings };
}

/** A queue whose messages are read and returned by operators' tools. */
function inspectedQueue(name: string): QueueDeclaration {
  return durableQueue(name, { 'x-queue-type': 'quorum', 'x-delivery-limit': readsMax });
}
