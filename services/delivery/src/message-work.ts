import { pause } from '@receipts/concurrency';
import { DueWork, type DueWorkOptions } from '@receipts/storage';
import { attemptsMax, claimMs, nextAttemptAt } from './sending/domain/schedule';

/** A message, claimed for one attempt. */
interface ClaimedMessage {
  readonly _id: string;
  readonly retailer: string;
  /** The number of attempts including this one. */
  readonly attempts: number;
  /** When an attempt whose process crashed began to send the message. */
  readonly handedOverAt?: Date;
}

export interface SendingFault {
  readonly reason: string;
  /** True if retrying is pointless. */
  readonly isPermanent: boolean;
  /** Milliseconds to wait, if the receiver has requested it. */
  readonly retryAfterMs?: number;
}

export interface MessageOutcome<S> {
  readonly status: S | 'failed';
  readonly reason: string | null;
}

export interface MessageWorkOptions<M, S> extends Pick<DueWorkOptions<M>, 'name' | 'claim' | 'log'> {
  /**
   * Sends a message, and throws if that fails.
   * @param hasTime false if the service is about to end; nothing may be sent then
   * @returns undefined if nothing was sent; another process makes an attempt when the claim has expired
   */
  readonly send: (message: M, hasTime: () => boolean) => Promise<MessageOutcome<S> | undefined>;
  readonly faultOf: (error: unknown) => SendingFault;
  /** Saves that the message has to be sent later. Has no effect once the claim has expired; may be repeated. */
  readonly postpone: (message: M, reason: string, until: Date) => Promise<void>;
  /** Saves how the message ended. Has no effect once the claim has expired; may be repeated. */
  readonly finish: (message: M, outcome: MessageOutcome<S>) => Promise<void>;
  /** Whether to resend messages with an unknown outcome, at the risk that they arrive twice. */
  readonly retriesUnconfirmed?: boolean;
  readonly now: () => Date;
}

/** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
const stopGraceMs = 4_000;
/** The pause before the outcome is saved again when the database has failed. */
const savePauseMs = 1_000;
/** The reason of a message that may or may not have arrived. */
export const outcomeUnknown = 'outcome_unknown';
/** The reason of a message whose failure has no better known one. */
export const notDelivered = 'not_delivered';

/** Sends messages: each in several attempts, but never again if it may have arrived. */
export function messageWork<M extends ClaimedMessage, S>(options: MessageWorkOptions<M, S>): DueWork<M> {
  const { name, claim, log, send, faultOf, postpone, finish, retriesUnconfirmed = false, now } = options;

  /**
   * Retries the write while the claim lasts. Only this process knows whether the message was sent; any later attempt
   * would have to treat the outcome as unknown.
   */
  async function save(write: () => Promise<void>): Promise<void> {
    const begunAt = performance.now();
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() - begunAt > (work.isStopping ? stopGraceMs : claimMs)) throw error;
        await pause(savePauseMs);
      }
    }
  }
  const fail = (message: M, reason: string) => save(() => finish(message, { status: 'failed', reason }));

  async function failed(message: M, error: unknown): Promise<void> {
    const { reason, isPermanent, retryAfterMs } = faultOf(error);
    const { _id: id, attempts } = message;
    log.warn(`could not send one of the ${name}`, { id, attempts, reason, error });
    const isLast = isPermanent || (reason === outcomeUnknown && !retriesUnconfirmed);
    const retryAt = isLast ? undefined : nextAttemptAt(attempts, now(), retryAfterMs);
    if (retryAt) await save(() => postpone(message, reason, retryAt));
    else await fail(message, reason);
  }

  async function attempt(message: M): Promise<void> {
    // The process that sent the message ended before it could save the outcome.
    if (message.handedOverAt !== undefined && !retriesUnconfirmed) return fail(message, outcomeUnknown);
    // The process of every attempt crashed.
    if (message.attempts > attemptsMax) return fail(message, notDelivered);
    let outcome: MessageOutcome<S> | undefined;
    try {
      outcome = await send(message, () => work.hasTimeToHandOver);
    } catch (error) {
      return failed(message, error);
    }
    const ended = outcome;
    if (ended) await save(() => finish(message, ended));
  }

  const work: DueWork<M> = new DueWork({ name, claim, attempt, log, stopGraceMs });
  return work;
}
