import { RetailerLimiter } from '@receipts/concurrency';
import { remainingMs, unavailable, retrySoon, type Call } from '@receipts/kernel';
import { LRUCache } from 'lru-cache';

const cachedBytesMax = 16 * 1024 * 1024;
/**
 * A long receipt takes seconds if others are rendered at the same time. A rejected caller that retries may find it in
 * the cache.
 */
const limits = {
  runningMax: 2,
  waitingMax: 32,
  refuse: (internal: string) => retrySoon(unavailable, { internal }),
};
/** Receipts with more items wait for each other, so that others do not wait for them. */
const itemsOfShort = 200;
/** Applies even if the caller waits longer. */
const timeMaxMs = 30_000;

/** Aborts the work when the time limit has passed, because the caller no longer waits for the result. */
async function inTime<T>(timeLeftMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(Math.ceil(timeLeftMs));
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const internal = 'the receipt could not be rendered in time';
    throw retrySoon(unavailable, { internal });
  }
}

interface PdfRequest {
  /** The same key always means the same content. */
  readonly key: string;
  readonly retailer: string;
  /** The number of items, which determines how long the work takes. */
  readonly items: number;
}

interface Rendered {
  readonly content: Buffer;
  /** False if a later rendering may be better, so that this one is not kept. */
  readonly isFinal: boolean;
}

/** Renders PDFs within limits for each retailer, and keeps the latest. */
export class PdfRenderer {
  private readonly limiter = new RetailerLimiter(limits);
  private readonly cached = new LRUCache<string, Buffer>({
    maxSize: cachedBytesMax,
    sizeCalculation: (pdf) => Math.max(1, pdf.length),
  });

  constructor(private readonly now: () => Date) {}

  /** @throws ServiceError 503 if the PDF cannot be rendered in time */
  async render(
    { key, retailer, items }: PdfRequest,
    call: Call,
    draw: (signal: AbortSignal) => Promise<Rendered>,
  ): Promise<Buffer> {
    const queue = items > itemsOfShort ? `${retailer}|long` : retailer;
    const timeLeft = () => Math.min(timeMaxMs, remainingMs(call, this.now().getTime()));
    const drawOnce = async () => {
      const known = this.cached.get(key);
      if (known) return known;
      const { content, isFinal } = await inTime(timeLeft(), draw);
      if (isFinal) this.cached.set(key, content);
      return content;
    };
    return this.cached.get(key) ?? this.limiter.run(queue, timeLeft(), drawOnce);
  }
}
