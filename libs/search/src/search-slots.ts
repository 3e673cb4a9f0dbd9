import { ServiceError, unavailable, type ErrorDefinition } from '@receipts/kernel';

export interface SearchSlotLimits {
  /** How many searches of one retailer run at a time. */
  readonly runningMax: number;
  /** How many more may wait for their turn. */
  readonly waitingMax: number;
  /** The error for whoever finds no place to wait. */
  readonly refusal: ErrorDefinition;
}

interface QueuedSearch {
  readonly timer: NodeJS.Timeout;
  start(): void;
}

interface Queue {
  running: number;
  readonly waiting: QueuedSearch[];
}

const retryAfterSeconds = '1';

/** Lets each retailer run a few searches at a time, in the order in which they came, so that no one retailer's take all. */
export class SearchSlots {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly limits: SearchSlotLimits) {}

  /**
   * Runs the work when it is its turn.
   * @param waitMaxMs how long it may wait for that
   * @throws ServiceError the refusal when too many wait already; 503 when its turn does not come in time
   */
  async run<T>(retailer: string, waitMaxMs: number, work: () => Promise<T>): Promise<T> {
    let queue = this.queues.get(retailer);
    if (!queue) this.queues.set(retailer, (queue = { running: 0, waiting: [] }));
    if (queue.running < this.limits.runningMax) queue.running++;
    else await this.wait(queue, waitMaxMs);
    try {
      return await work();
    } finally {
      this.leave(retailer, queue);
    }
  }

  private wait(queue: Queue, waitMaxMs: number): Promise<void> {
    const headers = { 'retry-after': retryAfterSeconds };
    if (queue.waiting.length >= this.limits.waitingMax) {
      return Promise.reject(new ServiceError(this.limits.refusal, { headers }));
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(queued), 1);
        reject(new ServiceError(unavailable, { headers, internal: 'other searches took too long' }));
      };
      const queued: QueuedSearch = { timer: setTimeout(giveUp, waitMaxMs), start: resolve };
      queue.waiting.push(queued);
    });
  }

  /** Whoever waits takes over the place of the one that leaves. */
  private leave(retailer: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.start();
    } else if (--queue.running === 0) {
      this.queues.delete(retailer);
    }
  }
}
