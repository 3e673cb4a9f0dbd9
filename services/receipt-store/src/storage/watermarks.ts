import type { Collection } from 'mongodb';
import { guarded, storeBudgetMs } from '@receipts/storage';
import { lowWaterMark, type SequenceDocument } from './sequence';

/** How long a reader waits for writers that were at it when the reader came; past it, their receipts are not shown yet. */
const waitMaxMs = 500;
const pollMs = 4;

interface Waiter {
  /** Blocks that were open at the waiter's first look. */
  tokens: ReadonlySet<string> | undefined;
  readonly giveUpAt: number;
  resolve(seq: number): void;
  reject(error: unknown): void;
}

/** The readers of one retailer: they look together. */
class RetailerWatermark {
  private waiters: Waiter[] = [];
  private looking = false;

  constructor(
    private readonly look: () => Promise<SequenceDocument | null>,
    private readonly done: () => void,
  ) {}

  wait(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiters.push({ tokens: undefined, giveUpAt: performance.now() + waitMaxMs, resolve, reject });
      if (!this.looking) void this.loop();
    });
  }

  private async loop(): Promise<void> {
    this.looking = true;
    while (this.waiters.length > 0) {
      // Only those who came before the look began are sure to see what was answered before they came.
      const present = this.waiters;
      this.waiters = [];
      try {
        const left = this.serve(present, await this.look());
        if (left.length > 0 && this.waiters.length === 0)
          await new Promise((wake) => setTimeout(wake, pollMs));
        this.waiters.push(...left);
      } catch (error) {
        for (const waiter of present) waiter.reject(error);
      }
    }
    this.looking = false;
    this.done();
  }

  private serve(present: readonly Waiter[], sequence: SequenceDocument | null): Waiter[] {
    const open = new Set(sequence?.open.map(({ token }) => token));
    const mark = lowWaterMark(sequence);
    const now = performance.now();
    return present.filter((waiter) => {
      waiter.tokens ??= open;
      const isWaiting = [...waiter.tokens].some((token) => open.has(token));
      if (isWaiting && now < waiter.giveUpAt) return true;
      waiter.resolve(mark);
      return false;
    });
  }
}

/** The reader's side of the order of arrival. */
export class Watermarks {
  private readonly byRetailer = new Map<string, RetailerWatermark>();

  /** @param observe hears of every sequence that comes by, so that abandoned blocks are found */
  constructor(
    private readonly collection: Collection<SequenceDocument>,
    private readonly observe: (sequence: SequenceDocument) => void,
  ) {}

  /**
   * The number up to which the order is settled: nothing will appear at or below it any more, and everything that was
   * answered before this was asked lies at or below it, unless a writer is stuck for longer than readers wait.
   */
  async of(retailer: string): Promise<number> {
    let watermark = this.byRetailer.get(retailer);
    if (!watermark) {
      watermark = new RetailerWatermark(
        () => this.look(retailer),
        () => this.byRetailer.delete(retailer),
      );
      this.byRetailer.set(retailer, watermark);
    }
    return watermark.wait();
  }

  private async look(retailer: string): Promise<SequenceDocument | null> {
    const signal = AbortSignal.timeout(storeBudgetMs);
    const sequence = await guarded(() => this.collection.findOne({ _id: retailer }, { signal }));
    if (sequence) this.observe(sequence);
    return sequence;
  }
}
