import { ServiceError, unavailable, type ErrorDefinition } from '@receipts/kernel';

export interface SearchSlotLimits {
  /** The maximum of concurrent searches per retailer. */
  readonly runningMax: number;
  /** The maximum of waiting searches per retailer. */
  readonly waitingMax: number;
  /** The error if too many searches are waiting. */
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

/** Limits concurrent searches per retailer, in order of arrival, so that a single retailer cannot use all resources. */
export class SearchSlots {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly limits: SearchSlotLimits) {}

  /**
   * Runs the work when a slot is free.
   * @param waitMaxMs the maximum waiting time
   * @throws ServiceError `refusal` if too many searches are waiting; 503 if no slot becomes free in time
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

  /** Passes the slot on to the next waiting search. */
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
