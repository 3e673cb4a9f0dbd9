import { bytesPerMessageMax, itemsPerMessageMax, packEnvelope, type Packed } from '../message/envelope';
import type { Link } from '../connection/link';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import { Slot } from '../connection/slot';

/**
 * Maximum replies waiting for a broker that accepts nothing. Beyond that expired replies are dropped, and if none has
 * expired, the new one.
 */
const waitingMax = 20_000;

export interface Answered extends Packed {
  /** Epoch milliseconds after which the caller no longer waits for it. */
  readonly deadline: number;
}

export interface ReplierOptions {
  readonly link: Link;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
}

/** Sends replies; those of one turn of the event loop to the same caller share a message. */
export class Replier {
  readonly #options: ReplierOptions;
  readonly #waiting = new Map<string, Answered[]>();
  #waitingCount = 0;
  #slot: Slot | undefined;
  #scheduled = false;

  constructor(options: ReplierOptions) {
    this.#options = options;
    options.link.onChange(() => this.#schedule());
  }

  async start(): Promise<void> {
    const { link } = this.#options;
    this.#slot = new Slot(link, { name: 'replies' });
    await link.open(this.#slot);
  }

  reply(replyTo: string, answer: Answered): void {
    if (this.#waitingCount >= waitingMax) this.#dropExpired();
    if (this.#waitingCount >= waitingMax) return;
    const answers = this.#waiting.get(replyTo);
    if (answers) answers.push(answer);
    else this.#waiting.set(replyTo, [answer]);
    this.#waitingCount++;
    this.#schedule();
  }

  /** Sends the waiting replies if the connection accepts them. */
  flush(): void {
    const channel = this.#slot?.channel;
    if (!channel || !this.#options.link.canWrite) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#waitingCount = 0;
    try {
      for (const [replyTo, answers] of waiting) {
        for (const part of parts(answers)) {
          // Not mandatory: a caller that is gone needs no reply.
          channel.publish('', replyTo, packEnvelope(part), {});
          this.#options.metrics.published?.('reply', 'reply', part.length);
        }
      }
    } catch (error) {
      this.#options.log.warn('answers could not be sent', faultFields(error));
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#waitingCount === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  #dropExpired(): void {
    const now = this.#options.now();
    this.#waitingCount = 0;
    for (const [replyTo, answers] of this.#waiting) {
      const kept = answers.filter((answer) => answer.deadline > now);
      if (kept.length === 0) this.#waiting.delete(replyTo);
      else this.#waiting.set(replyTo, kept);
      this.#waitingCount += kept.length;
    }
  }
}

function* parts(answers: readonly Answered[]): Generator<readonly Answered[]> {
  let from = 0;
  let bytes = 0;
  for (let i = 0; i < answers.length; i++) {
    const size = (answers[i] as Answered).body.length;
    if (i > from && (i - from >= itemsPerMessageMax || bytes + size > bytesPerMessageMax)) {
      yield answers.slice(from, i);
      from = i;
      bytes = 0;
    }
    bytes += size;
  }
  yield answers.slice(from);
}
