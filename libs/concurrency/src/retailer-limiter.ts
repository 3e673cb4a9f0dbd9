export interface RetailerLimits {
  /** The maximum amount of concurrent work per retailer. */
  readonly runningMax: number;
  /** The maximum amount of waiting work per retailer. */
  readonly waitingMax: number;
  /** Creates the error if too much work is waiting, or work has waited too long. @param reason which of both, for the log */
  readonly refuse: (reason: string) => Error;
}

interface Queued {
  readonly timer: NodeJS.Timeout;
  start(): void;
}

interface Queue {
  running: number;
  readonly waiting: Queued[];
}

/** Limits concurrent work per retailer, in order of arrival, so that a single retailer cannot use all resources. */
export class RetailerLimiter {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly limits: RetailerLimits) {}

  /**
   * Runs the work once fewer than `runningMax` jobs of the retailer are running.
   * @param waitMaxMs the maximum waiting time
   * @param work receives the number of waiting jobs
   * @throws the error of `refuse` if too much work is waiting, or work has waited too long
   */
  async run<T>(retailer: string, waitMaxMs: number, work: (waitingCount: number) => Promise<T>): Promise<T> {
    let queue = this.queues.get(retailer);
    if (!queue) this.queues.set(retailer, (queue = { running: 0, waiting: [] }));
    if (queue.running < this.limits.runningMax) queue.running++;
    else await this.wait(queue, waitMaxMs);
    try {
      return await work(queue.waiting.length);
    } finally {
      this.leave(retailer, queue);
    }
  }

  private wait(queue: Queue, waitMaxMs: number): Promise<void> {
    if (queue.waiting.length >= this.limits.waitingMax) {
      return Promise.reject(this.limits.refuse('too much work is waiting'));
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(queued), 1);
        reject(this.limits.refuse('waited too long'));
      };
      const queued: Queued = { timer: setTimeout(giveUp, waitMaxMs), start: resolve };
      queue.waiting.push(queued);
    });
  }

  /** Starts the next job in the queue. */
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
