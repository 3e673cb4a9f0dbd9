import type { Log } from '@receipts/kernel';
import { standbyQueue } from '../topology/queues';

/** While a queue is away, its owner is asked this often whether it is back. */
const checkIntervalMs = 2_000;

export interface RequestRoutesOptions {
  /** Whether the owner of a queue responds to a request in it; undefined if that cannot be known at present. */
  readonly isServed: (queue: string) => Promise<boolean | undefined>;
  /** Called when a queue no longer works, to send what it has not accepted to its standby. */
  readonly left: (queue: string) => void;
  readonly log: Log;
}

/**
 * Decides whether requests go to their queue or to its standby. A queue for requests is on one node only, because
 * requests are worthless after seconds and copies of them cost more than handling them. While its node is away, the
 * replicated standby is used. A wrong decision costs nothing but time, since the owner consumes both.
 */
export class RequestRoutes {
  private readonly away = new Set<string>();
  private readonly checking = new Set<string>();
  private isClosed = false;

  constructor(private readonly options: RequestRoutesOptions) {}

  /** The queue or its standby. */
  targetOf(queue: string): string {
    return this.away.has(queue) ? standbyQueue(queue) : queue;
  }

  /** Uses the standby until the owner responds in the queue again. */
  leave(queue: string): void {
    if (this.away.has(queue)) return;
    this.away.add(queue);
    this.options.log.warn('a queue for requests does not respond; using its standby', { queue });
    this.options.left(queue);
    void this.check(queue);
  }

  /** Finds out whether a queue still works, in which a request has waited for long. */
  async check(queue: string): Promise<void> {
    if (this.checking.has(queue)) return;
    this.checking.add(queue);
    do {
      const isServed = await this.options.isServed(queue);
      if (isServed === true) this.returnTo(queue);
      else if (isServed === false) this.leave(queue);
      await new Promise((resolve) => setTimeout(resolve, checkIntervalMs).unref());
    } while (this.away.has(queue) && !this.isClosed);
    this.checking.delete(queue);
  }

  /** Asks again in all queues that are not used, because it was perhaps the connection that did not work. */
  recheck(): void {
    for (const queue of this.away) {
      void this.options.isServed(queue).then((isServed) => {
        if (isServed === true) this.returnTo(queue);
      });
    }
  }

  private returnTo(queue: string): void {
    if (this.away.delete(queue)) this.options.log.info('a queue for requests is used again', { queue });
  }

  close(): void {
    this.isClosed = true;
  }
}
