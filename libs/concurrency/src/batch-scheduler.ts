import { Idle, oncePerTurn } from './timing';

export interface BatchSchedulerOptions<T> {
  /** The number of waiting items. */
  readonly waitingCount: () => number;
  /** Removes the items of the next batch from the waiting items; none if no batch can start now. */
  readonly take: () => readonly T[];
  /** Must not throw or reject. */
  readonly run: (items: readonly T[]) => Promise<unknown>;
  /** The maximum number of concurrent batches; default unlimited. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds after a start during which a few items wait for more; default 0. The first item after a pause starts
   * immediately.
   */
  readonly batchWindowMs?: number | undefined;
  /** The window applies while at least this many batches are running; default 0. */
  readonly windowFrom?: number | undefined;
  /** True if enough items are waiting to start before the window ends. */
  readonly isFull?: (() => boolean) | undefined;
}

/** Decides when batches start. Its owner keeps the waiting items, and decides which of them form a batch. */
export class BatchScheduler<T> {
  private readonly whenIdle = new Idle(() => this.running === 0 && this.options.waitingCount() === 0);
  private running = 0;
  /** Set while the window is open. */
  private window: NodeJS.Timeout | undefined;

  /** Starts batches at the end of this turn of the event loop, so that the items of a turn form one batch. */
  readonly schedule = oncePerTurn(() => this.start());

  constructor(private readonly options: BatchSchedulerOptions<T>) {}

  /** Starts the batches that may start. */
  start(): void {
    const isOpen = this.window === undefined || this.options.isFull?.() === true;
    let isStarted = false;
    while (this.mayStart(isOpen)) {
      const items = this.options.take();
      if (items.length === 0) break;
      isStarted = true;
      this.running++;
      void this.options.run(items).finally(() => {
        this.running--;
        this.schedule();
      });
    }
    if (isStarted) this.openWindow();
    this.whenIdle.check();
  }

  /** Ends the window, and starts the batches that may start. */
  startNow(): void {
    this.closeWindow();
    this.start();
  }

  /** Resolves once no item is waiting or running. */
  idle(): Promise<void> {
    return this.whenIdle.wait();
  }

  /** @param isOpen false if a few items wait for more */
  private mayStart(isOpen: boolean): boolean {
    const { waitingCount, concurrency = Infinity, windowFrom = 0 } = this.options;
    return waitingCount() > 0 && this.running < concurrency && (isOpen || this.running < windowFrom);
  }

  private openWindow(): void {
    const { batchWindowMs = 0 } = this.options;
    if (batchWindowMs === 0) return;
    this.closeWindow();
    this.window = setTimeout(() => this.startNow(), batchWindowMs);
    // The timer need not keep the process alive: items are stored elsewhere, or their callers keep it alive.
    this.window.unref();
  }

  private closeWindow(): void {
    clearTimeout(this.window);
    this.window = undefined;
  }
}
