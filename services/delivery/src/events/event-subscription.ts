import { integratorEvents, subscriptionQueues } from '@receipts/contracts';
import { PeriodicTask } from '@receipts/concurrency';
import { type EventRecord, type Log } from '@receipts/kernel';
import { on, type Broker, type Subscriber } from '@receipts/messaging';
import { guardEvents } from '@receipts/host/open-service';
import type { Lease } from '@receipts/storage';

export interface EventSubscriptionDependencies {
  readonly broker: Pick<Broker, 'subscribe'>;
  /** Whether any retailer has a feed or receivers. */
  readonly isWanted: () => Promise<boolean>;
  readonly handle: (events: readonly EventRecord[]) => Promise<readonly (Error | undefined)[]>;
  /** Only one process at a time turns the stream off. */
  readonly lease: Lease;
  readonly log: Log;
}

const pollEveryMs = 5_000;
/** The stream is turned off when it has not been needed for this long. */
const unwantedMaxMs = 24 * 60 * 60_000;

/**
 * The stream of all events in full. The queue is bound only while a retailer needs it, because it would otherwise be
 * the most expensive part of this service.
 */
export class EventSubscription {
  private readonly task: PeriodicTask;
  private isBound = false;
  private unwantedSince: number | undefined;

  private constructor(
    private readonly deps: EventSubscriptionDependencies,
    private readonly subscriber: Subscriber,
  ) {
    this.task = new PeriodicTask({
      everyMs: pollEveryMs,
      run: () => this.poll(),
      log: deps.log,
      failure: 'could not check whether events are needed',
    });
  }

  /** Subscribes, and binds the queue if a retailer needs it. */
  static async open(deps: EventSubscriptionDependencies): Promise<EventSubscription> {
    const subscriptions = [on(integratorEvents, guardEvents(deps.handle))];
    const subscriber = await deps.broker.subscribe({
      queue: subscriptionQueues.events,
      subscriptions,
      unbound: true,
    });
    const eventSubscription = new EventSubscription(deps, subscriber);
    await eventSubscription.task.attempt();
    return eventSubscription;
  }

  /** Once the promise resolves, all events arrive in this or another process of this service. */
  async listen(options: { readonly isNew: boolean }): Promise<void> {
    // Another process may have turned the stream off before there was a listener.
    if (this.isBound && !options.isNew) return;
    await this.subscriber.bind();
    this.isBound = true;
  }

  start(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
    await this.subscriber.close();
  }

  /** Binds the queue if a retailer needs it, and unbinds it if none has needed it for `unwantedMaxMs`. */
  private async poll(): Promise<void> {
    const { isWanted, lease } = this.deps;
    if (await isWanted()) {
      this.unwantedSince = undefined;
      await this.listen({ isNew: false });
      return;
    }
    this.unwantedSince ??= Date.now();
    if (Date.now() - this.unwantedSince < unwantedMaxMs || !(await lease.acquire())) return;
    await this.subscriber.unbind();
    this.isBound = false;
    this.unwantedSince = undefined;
    if (await isWanted()) await this.listen({ isNew: true });
  }
}
