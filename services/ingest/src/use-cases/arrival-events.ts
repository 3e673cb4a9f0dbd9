import { BatchScheduler } from '@receipts/concurrency';
import type { SerializedEvent } from '@receipts/kernel';
import type { Publish } from '@receipts/storage';

interface Waiting {
  readonly event: SerializedEvent;
  readonly settle: (isConfirmed: boolean) => void;
}

const eventsAtOnceMax = 256;

/**
 * Publishes the first events of packets. While events are being published, further ones wait to be published together,
 * because a message costs the broker and each subscriber the same, whether it contains one event or many.
 */
export class ArrivalEvents {
  private readonly waiting: Waiting[] = [];
  private readonly scheduler = new BatchScheduler<Waiting>({
    waitingCount: () => this.waiting.length,
    take: () => this.waiting.splice(0, eventsAtOnceMax),
    run: (batch) => this.publishAll(batch),
    concurrency: 1,
  });

  constructor(private readonly send: Publish) {}

  /** @returns true once the broker has confirmed the event; false if it is not known to have it */
  publish(event: SerializedEvent): Promise<boolean> {
    return new Promise((settle) => {
      this.waiting.push({ event, settle });
      this.scheduler.schedule();
    });
  }

  private async publishAll(batch: readonly Waiting[]): Promise<void> {
    const areConfirmed = await this.send(batch.map(({ event }) => event));
    batch.forEach(({ settle }, i) => settle(areConfirmed[i] === true));
  }
}
