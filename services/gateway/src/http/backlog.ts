import { ServiceError, unavailable } from '@receipts/kernel';
import { Places } from './places';

/** From this part of the bound on, what there is left is shared out. */
const sharedFrom = 0.5;
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

  constructor(private readonly messagesMax: number) {}

  note(owner: string, messages: number): void {
    this.waiting.set(owner, messages);
    if (messages < this.messagesMax * sharedFrom) this.letIn.delete(owner);
    else if (!this.letIn.has(owner)) this.letIn.set(owner, new Places());
  }

  /** @throws ServiceError 503 `unavailable` with `Retry-After` for what is to come later. */
  enter(owner: string, retailer: string): void {
    const waiting = this.waiting.get(owner) ?? 0;
    if (waiting >= this.messagesMax) throw tryLater(`${waiting} messages wait for ${owner}`);
    const letIn = this.letIn.get(owner);
    if (!letIn) return;
    if (letIn.holders > 1 && letIn.of(retailer) > letIn.total / letIn.holders) {
      throw tryLater(`${waiting} messages wait for ${owner}, and ${retailer} sends more than its share`);
    }
    letIn.take(retailer);
  }
}
