import type { Message, MessageProperties, Options } from 'amqplib';
import { ServiceError } from '@receipts/kernel';
import type { ConfirmedPublisher } from '../outbound/confirmed-publisher';
import { faultFields, type Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import type { TopologyNames } from '../topology/topology-names';
import { headerNames, headersOf, keptOf, textOf, type Kept } from '../message/properties';
import { backoffMs, Idle, pause } from '../connection/timing';
import type { RetryRelease } from './retry-release';
import { deadLetterQueue, retryQueue, quarantineQueue, type RetryStep } from '../topology/queues';

/** Maximum attempts after an unexpected error. */
export const unknownTriesMax = 5;
/** How long a message is retried while a dependency is unavailable. */
export const transientRetriesMaxMs = 16 * 60 * 60 * 1000;
/** A probe is retried at the first step for this long, then at the second. */
const quickProbesMaxMs = 10 * 60 * 1000;
/** Without a failure of a probe for this long, the next message that fails becomes one. */
const probeLostMs = 30_000;
/** How many waiting messages follow each retried message that is done. */
const releasedPerSuccess = 2;
const republishDelayMinMs = 100;
const republishDelayMaxMs = 5_000;

/** A message, or one item of it, whose handling failed. */
export interface Failed {
  readonly queue: string;
  readonly type: string;
  readonly content: Buffer;
  /** The message's properties as received. */
  readonly properties: MessageProperties;
  /** The id of the item, if the message holds several. */
  readonly messageId?: string;
  readonly correlationId?: string;
  readonly retailer: string;
  readonly traceparent: string | undefined;
  readonly error: unknown;
}

/** A message that cannot be read, so that nothing is known of its items. */
export function unreadable(queue: string, { content, properties }: Message, error: unknown): Failed {
  const type = textOf(properties.type) ?? 'unknown';
  return { queue, type, content, properties, retailer: '', traceparent: undefined, error };
}

/** Why a quarantined item is dead-lettered whose handler does not end. */
export function hangingError(timeoutMs: number): Error {
  return new Error(`handling it alone took longer than ${timeoutMs} ms`);
}

/** Whether a retry may succeed, because a dependency was unavailable or overloaded. */
function isTransient(error: unknown): boolean {
  return error instanceof ServiceError && (error.status >= 500 || error.status === 429);
}

/**
 * Where a failed message goes next: a step of the retry schedule, or `dead-letter`. A refusal would repeat on a retry, so it
 * is dead-lettered at once.
 * @param attempts the number of failed attempts including this one
 * @param ageMs the time since the first failure
 */
export function nextDestination(
  error: unknown,
  attempts: number,
  ageMs: number,
  steps: readonly RetryStep[],
): RetryStep | 'dead-letter' {
  const step = steps[Math.min(attempts, steps.length) - 1] ?? 'dead-letter';
  if (isTransient(error)) return ageMs < transientRetriesMaxMs ? step : 'dead-letter';
  return !(error instanceof ServiceError) && attempts < unknownTriesMax ? step : 'dead-letter';
}

/** Why a message was dead-lettered, for the operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return `${error.status} ${error.code ?? ''} ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

const reasonLengthMax = 500;
/** Why the broker took a message out of the retry queue: its delay had passed, or it was rejected to release it. */
const firstDeathReason = 'x-first-death-reason';

const probeKey = (queue: string, type: unknown): string => `${queue}\n${String(type)}`;

export interface RetryRouterOptions {
  readonly names: TopologyNames;
  readonly publisher: ConfirmedPublisher;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly now: () => number;
  readonly steps: readonly RetryStep[];
  readonly release: RetryRelease;
}

/**
 * Moves failed messages to a retry queue or the dead-letter queue. The original is acknowledged only after that.
 *
 * While a dependency is unavailable, one message of each type is a probe: it is retried at short intervals, and the
 * others wait for their delays. When it is done, each retried message that is done brings back two more, so the
 * backlog returns at once, in its order and at the pace of its handler.
 */
export class RetryRouter {
  readonly #options: RetryRouterOptions;
  /** When a probe last failed, by queue and type. */
  readonly #probedAt = new Map<string, number>();
  #isClosed = false;
  #moving = 0;
  readonly #idle = new Idle(() => this.#moving === 0);

  constructor(options: RetryRouterOptions) {
    this.#options = options;
  }

  /** From now on a message that cannot be moved at once stays in its queue. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves once no move is in progress. */
  idle(): Promise<void> {
    return this.#idle.wait();
  }

  /** True once the message is safe in another queue; false when it must stay unacknowledged. */
  async retry(failed: Failed): Promise<boolean> {
    const { steps, now } = this.#options;
    const headers = headersOf(failed.properties);
    const wasProbe = headers[headerNames.probe] === true;
    // A probe and a message that was released early have failed before their time, which does not count.
    const isEarly = wasProbe || headers[firstDeathReason] === 'rejected';
    const attempts = Number(headers[headerNames.attempts] ?? 0) + (isEarly ? 0 : 1);
    const ageMs =
      now() - Date.parse(textOf(headers[headerNames.firstFailedAt]) ?? new Date(now()).toISOString());
    const destination = nextDestination(failed.error, attempts, ageMs, steps);
    if (destination === 'dead-letter') this.succeeded(failed.queue, failed.properties);
    else if (isTransient(failed.error) && this.#becomesProbe(failed, wasProbe)) {
      const step = (ageMs < quickProbesMaxMs ? steps[0] : steps[1]) ?? destination;
      return this.#moveTo(step, failed, attempts, { [headerNames.probe]: true });
    }
    return this.#moveTo(destination, failed, attempts, { [headerNames.probe]: undefined });
  }

  /** Dead-letters a message that can never be handled. */
  async deadLetter(failed: Failed): Promise<boolean> {
    return this.#moveTo('dead-letter', failed, 1, {});
  }

  /**
   * Reports that a message was handled. After a retried one the others follow; one that is dead-lettered counts as well,
   * because its dependency answered. One that goes back to a retry queue releases none, because it would release itself.
   */
  succeeded(queue: string, properties: MessageProperties): void {
    const headers = headersOf(properties);
    if (headers[headerNames.attempts] === undefined) return;
    if (headers[headerNames.probe] === true) this.#probedAt.delete(probeKey(queue, properties.type));
    void this.#options.release.release(queue, releasedPerSuccess);
  }

  #becomesProbe({ queue, type }: Failed, wasProbe: boolean): boolean {
    const key = probeKey(queue, type);
    const now = this.#options.now();
    if (!wasProbe && now - (this.#probedAt.get(key) ?? -Infinity) < probeLostMs) return false;
    this.#probedAt.set(key, now);
    return true;
  }

  async #moveTo(
    destination: RetryStep | 'dead-letter',
    failed: Failed,
    attempts: number,
    added: Record<string, unknown>,
  ): Promise<boolean> {
    const { log, metrics, now } = this.#options;
    const kept = this.#kept(failed);
    const fields = {
      queue: failed.queue,
      type: failed.type,
      message_id: kept.messageId,
      request_id: kept.correlationId,
      attempts,
      ...faultFields(failed.error),
    };
    if (destination === 'dead-letter') {
      log.error('a message is dead-lettered', fields);
      metrics.deadLettered?.(failed.queue);
    } else {
      log.warn('a message failed and will be tried again', { ...fields, delay_ms: destination.delayMs });
      metrics.retried?.(failed.queue, attempts);
    }
    const at = new Date(now()).toISOString();
    return this.#publish(
      failed,
      destination === 'dead-letter' ? deadLetterQueue(failed.queue) : retryQueue(failed.queue, destination),
      {
        ...added,
        [headerNames.attempts]: attempts,
        [headerNames.firstFailedAt]: kept.headers[headerNames.firstFailedAt] ?? at,
        [headerNames.lastFailedAt]: at,
        [headerNames.reason]: reasonOf(failed.error).slice(0, reasonLengthMax),
      },
    );
  }

  #kept({ properties, type, messageId, correlationId }: Failed): Kept {
    return {
      ...keptOf(properties),
      type,
      ...(messageId !== undefined && { messageId }),
      ...(correlationId !== undefined && { correlationId }),
    };
  }

  /** Moves one item of a message to the quarantine queue, where it is handled alone and cannot affect other items. */
  async quarantine(item: Failed): Promise<boolean> {
    return this.#publish(item, quarantineQueue(item.queue), {});
  }

  async #publish(failed: Failed, key: string, added: Record<string, unknown>): Promise<boolean> {
    const kept = this.#kept(failed);
    const properties: Options.Publish = {
      ...kept,
      persistent: true,
      mandatory: true,
      headers: {
        ...kept.headers,
        ...added,
        [headerNames.queue]: this.#options.names.own(failed.queue),
        [headerNames.retailer]: failed.retailer,
        ...(failed.traceparent !== undefined && { [headerNames.traceparent]: failed.traceparent }),
      },
    };
    this.#moving++;
    const isSafe = await this.#publishUntilSafe(key, failed.content, properties);
    this.#moving--;
    this.#idle.check();
    return isSafe;
  }

  async #publishUntilSafe(key: string, content: Buffer, properties: Options.Publish): Promise<boolean> {
    const publication = { kind: 'retry' as const, exchange: '', key, content, properties };
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#options.publisher.publish(publication);
      if (outcome === 'confirmed') return true;
      if (this.#isClosed) return false;
      if (attempt === 3) this.#options.log.error('a failed message cannot be moved', { queue: key, outcome });
      await pause(backoffMs(attempt, republishDelayMinMs, republishDelayMaxMs));
    }
  }
}
