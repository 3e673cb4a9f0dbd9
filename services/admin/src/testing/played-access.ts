import type { IntegratorAccess, IntegratorQueue } from '../broker/integrator-access';

/** A fake of integrators' queues that records calls, and fails on request. */
export interface PlayedAccess extends IntegratorAccess {
  readonly queues: Map<string, IntegratorQueue>;
  /** The number of times a queue was closed. */
  closed: number;
  /** Thrown instead of opening. */
  fails: Error | undefined;
  /** Called after a queue has been opened. */
  onOpened: () => Promise<unknown>;
}

export function playedAccess(): PlayedAccess {
  const queues = new Map<string, IntegratorQueue>();
  const queueOf = (retailer: string, name: string) => `subscriptions.${retailer}.${name}`;
  const access: PlayedAccess = {
    queues,
    closed: 0,
    fails: undefined,
    onOpened: () => Promise.resolve(),
    url: 'amqp://broker.example:5672/',
    namesOf: (retailer, name) => ({ queue: queueOf(retailer, name), user: queueOf(retailer, name) }),
    openDeadLetters: async () => {},
    isOpen: (retailer, name) => Promise.resolve(queues.has(queueOf(retailer, name))),
    async open(queue) {
      if (access.fails) throw access.fails;
      queues.set(queueOf(queue.retailer, queue.name), queue);
      await access.onOpened();
    },
    close: (retailer, name) => {
      access.closed++;
      queues.delete(queueOf(retailer, name));
      return Promise.resolve();
    },
  };
  return access;
}
