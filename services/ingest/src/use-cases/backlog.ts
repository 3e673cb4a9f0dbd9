import { commandQueue, type Broker } from '@receipts/messaging';

/** While more packets wait in the broker's queue, there is a backlog. */
const packetsMin = 1_000;
/** How long the length of the queue is considered current. */
const keptMs = 1_000;

/**
 * Whether packets wait in the broker's queue for long. The broker is asked, because the times in messages are from the
 * clocks of other machines.
 */
export class Backlog {
  private isLong = false;
  private askedAtMs = -Infinity;

  constructor(
    private readonly broker: Pick<Broker, 'depth'>,
    private readonly clockMs: () => number,
  ) {}

  /** The latest known state; a new one is requested in the background. */
  exists(): boolean {
    if (this.clockMs() - this.askedAtMs >= keptMs) void this.update();
    return this.isLong;
  }

  private async update(): Promise<void> {
    this.askedAtMs = this.clockMs();
    try {
      const [queue] = await this.broker.depth([commandQueue('ingest')]);
      this.isLong = (queue?.messages ?? 0) > packetsMin;
    } catch {
      // Without an answer, no retailer is treated differently.
      this.isLong = false;
    }
  }
}
