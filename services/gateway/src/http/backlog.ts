import { ServiceError, unavailable } from '@receipts/kernel';
import { Places } from './places';

export interface BacklogLimits {
  /** Messages that may wait for an owner. */
  readonly messagesMax: number;
  /** How long a fiftieth of that may wait without a break: an owner that does not keep up any more is helped early. */
  readonly secondsMax: number;
  /** How old the events of an owner may get that does not get rid of them. */
  readonly outboxSecondsMax: number;
}

/** The events of an owner that are not published yet, as it says itself. */
export interface OutboxReport {
  readonly documents: number;
  readonly oldestAgeMs: number;
}

/** From this part of the bound on, what there is left is shared out. */
const sharedFrom = 0.5;
/** From this part on, it counts for how long. */
const countedFrom = 0.02;
/** A few that cannot be published are somebody's mistake; so many are a sign that nothing gets out. */
const outboxDocumentsMin = 500;
/** Whoever has said nothing for so long may have nothing left, or be gone. */
const reportValidMs = 20_000;
const retryAfterSeconds = 5;

/** The caller is told a time of its own, so that not all come back at once. */
function tryLater(why: string): ServiceError {
  const seconds = retryAfterSeconds + Math.floor(Math.random() * retryAfterSeconds);
  return new ServiceError(unavailable, { internal: why, headers: { 'retry-after': String(seconds) } });
}

/**
 * What waits with the broker for each owner, as it was when it was last looked at. What is only confirmed, and done later, is
 * turned away while too much waits; before that, those that send more than their share are, so that the flood of one does not
 * make the others wait.
 */
export class Backlog {
  private readonly waiting = new Map<string, number>();
  /** What was let in by retailer since half of the bound was passed. */
  private readonly letIn = new Map<string, Places>();
  /** Since when more than a few wait. */
  private readonly since = new Map<string, number>();
  private readonly outboxes = new Map<string, OutboxReport & { readonly at: number }>();

  /** @param now milliseconds of a clock that is never set */
  constructor(
    private readonly limits: BacklogLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  note(owner: string, messages: number): void {
    const { messagesMax } = this.limits;
    this.waiting.set(owner, messages);
    if (messages < messagesMax * countedFrom) this.since.delete(owner);
    else if (!this.since.has(owner)) this.since.set(owner, this.now());
    if (messages < messagesMax * sharedFrom) this.letIn.delete(owner);
    else if (!this.letIn.has(owner)) this.letIn.set(owner, new Places());
  }

  /** @throws ServiceError 503 `unavailable` with `Retry-After` for what is to come later. */
  enter(owner: string, retailer: string): void {
    const waiting = this.waiting.get(owner) ?? 0;
    const { messagesMax, secondsMax } = this.limits;
    const since = this.since.get(owner);
    if (since !== undefined && this.now() - since >= secondsMax * 1_000) {
      throw tryLater(`${waiting} messages wait for ${owner}, which has not kept up for too long`);
    }
    if (waiting >= messagesMax) throw tryLater(`${waiting} messages wait for ${owner}`);
    const letIn = this.letIn.get(owner);
    if (!letIn) return;
    if (letIn.holders > 1 && letIn.of(retailer) > letIn.total / letIn.holders) {
      throw tryLater(`${waiting} messages wait for ${owner}, and ${retailer} sends more than its share`);
    }
    letIn.take(retailer);
  }

  noteOutbox(owner: string, report: OutboxReport): void {
    this.outboxes.set(owner, { ...report, at: this.now() });
  }

  /** @throws ServiceError 503 `unavailable` for a change of which nobody would hear for long. */
  checkOutbox(owner: string): void {
    const found = this.outboxes.get(owner);
    if (!found || found.documents < outboxDocumentsMin || this.now() - found.at > reportValidMs) return;
    if (found.oldestAgeMs < this.limits.outboxSecondsMax * 1_000) return;
    throw tryLater(
      `${found.documents} changes of ${owner} are not told, the oldest for ${found.oldestAgeMs} ms`,
    );
  }
}
