import { ServiceError, unavailable } from '@receipts/kernel';
import { InFlightCounts } from './in-flight-counts';

export interface BacklogLimits {
  /** Messages that may wait in an owner's queues. */
  readonly messagesMax: number;
  /** A fiftieth of `messagesMax` may wait continuously for this long. Detects early that an owner no longer keeps up. */
  readonly secondsMax: number;
  /** How old an owner's unpublished events may get. */
  readonly outboxSecondsMax: number;
}

/** An owner's report of its unpublished events. */
export interface OutboxReport {
  readonly documents: number;
  readonly oldestAgeMs: number;
}

/**
 * An owner that is behind for five minutes does not catch up by itself. A process without a writable database holds back
 * events for some seconds, a broken relay for ever: a minute tells them apart.
 */
export const backlogTimes = { secondsMax: 300, outboxSecondsMax: 60 } as const;

/** Above this part of the maximum, what is left is divided between retailers. */
const sharedFrom = 0.5;
/** Above this part of the maximum, the time counts towards `secondsMax`. */
const countedFrom = 0.02;
/** Fewer unpublished events may be due to a single bad event; this many mean that publishing does not work. */
const outboxDocumentsMin = 500;
/** Reports that are older are ignored: the process may have published its events, or have stopped, since. */
const reportValidMs = 20_000;
const retryAfterSeconds = 5;

/** `Retry-After` is random, so that callers do not all come back at the same time. */
function tryLater(why: string): ServiceError {
  const seconds = retryAfterSeconds + Math.floor(Math.random() * retryAfterSeconds);
  return new ServiceError(unavailable, { internal: why, headers: { 'retry-after': String(seconds) } });
}

/**
 * The backlog of each owner's queues, as of the last poll. Commands that are confirmed first and executed later are
 * refused while the backlog is too long. From half of the maximum on, only retailers that exceed their share are refused,
 * so that one retailer's load does not delay the others.
 */
export class Backlog {
  private readonly waiting = new Map<string, number>();
  /** Accepted requests by retailer since half of the maximum was exceeded. */
  private readonly admitted = new Map<string, InFlightCounts>();
  /** Since when more than `countedFrom` wait. */
  private readonly since = new Map<string, number>();
  private readonly outboxes = new Map<string, OutboxReport & { readonly at: number }>();

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly limits: BacklogLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  note(owner: string, messages: number): void {
    const { messagesMax } = this.limits;
    this.waiting.set(owner, messages);
    if (messages < messagesMax * countedFrom) this.since.delete(owner);
    else if (!this.since.has(owner)) this.since.set(owner, this.now());
    if (messages < messagesMax * sharedFrom) this.admitted.delete(owner);
    else if (!this.admitted.has(owner)) this.admitted.set(owner, new InFlightCounts());
  }

  /** @throws ServiceError 503 `unavailable` with `Retry-After` for a command that is executed later. */
  enter(owner: string, retailer: string): void {
    const waiting = this.waiting.get(owner) ?? 0;
    const { messagesMax, secondsMax } = this.limits;
    const since = this.since.get(owner);
    if (since !== undefined && this.now() - since >= secondsMax * 1_000) {
      throw tryLater(`${waiting} messages wait for ${owner}, which has not kept up for too long`);
    }
    if (waiting >= messagesMax) throw tryLater(`${waiting} messages wait for ${owner}`);
    const admitted = this.admitted.get(owner);
    if (!admitted) return;
    if (admitted.keys > 1 && admitted.of(retailer) > admitted.total / admitted.keys) {
      throw tryLater(`${waiting} messages wait for ${owner}, and ${retailer} sends more than its share`);
    }
    admitted.add(retailer);
  }

  noteOutbox(owner: string, report: OutboxReport): void {
    this.outboxes.set(owner, { ...report, at: this.now() });
  }

  /** @throws ServiceError 503 `unavailable` for a change whose events could not be published for a long time. */
  checkOutbox(owner: string): void {
    const found = this.outboxes.get(owner);
    if (!found || found.documents < outboxDocumentsMin || this.now() - found.at > reportValidMs) return;
    if (found.oldestAgeMs < this.limits.outboxSecondsMax * 1_000) return;
    throw tryLater(
      `${found.documents} changes of ${owner} have unpublished events, the oldest for ${found.oldestAgeMs} ms`,
    );
  }
}
