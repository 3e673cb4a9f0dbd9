import type { MessageProperties, Channel } from 'amqplib';
import { backoffMs, pause } from '@receipts/concurrency';
import { ServiceError } from '@receipts/kernel';
import type { ConfirmedPublisher } from '../outbound/confirmed-publisher';
import { headerNames, headersOf, keptOf, textOf } from '../message/properties';
import type { BrokerContext } from '../topology/broker-context';
import { deadLetterQueue, retryQueue, quarantineQueue, type RetryStep } from '../topology/queues';
import type { RetryableJob } from './delivery';

/** The maximum number of attempts to handle a message that fails with unexpected errors. */
export const unknownTriesMax = 5;
/** How long a message is retried while a dependency is unavailable. */
export const transientRetriesMaxMs = 16 * 60 * 60 * 1000;
/** A trial is retried at the first step for this long, then at the second. */
const quickTrialsMaxMs = 10 * 60 * 1000;
/** If no trial has failed for this long, the next message that fails becomes a trial. */
const trialLostMs = 30_000;
/** The number of waiting messages released for each successful retry. */
const releasedPerSuccess = 2;
const republishDelayMinMs = 100;
const republishDelayMaxMs = 5_000;

/** Whether a retry may succeed because a dependency was unavailable or overloaded. */
function isTransient(error: unknown): boolean {
  return error instanceof ServiceError && (error.status >= 500 || error.status === 429);
}

/**
 * Where a failed message goes next: a step of the retry schedule, or `dead-letter`. An expected error would occur again
 * on a retry, so the message is dead-lettered immediately.
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

const trialKey = (queue: string, type: unknown): string => `${queue}\n${String(type)}`;

/**
 * Moves failed messages to a retry queue or the dead-letter queue. The original is acknowledged only afterwards.
 *
 * While a dependency is unavailable, one message of each type is a trial: it is retried at short intervals, and the
 * others wait for their delays. Once it succeeds, each successful retry releases two more messages, so the backlog
 * returns quickly, in order and at the rate of its handler.
 */
export class RetryRouter {
  /** The number of waiting messages still to be released, by queue, while a release is in progress. */
  private readonly toRelease = new Map<string, number>();
  /** When a trial last failed, by queue and type. */
  private readonly triedAt = new Map<string, number>();
  private isClosed = false;

  constructor(
    private readonly context: BrokerContext,
    private readonly publisher: ConfirmedPublisher,
    private readonly steps: readonly RetryStep[],
  ) {}

  /** From now on, a message that cannot be moved immediately stays in its queue. */
  close(): void {
    this.isClosed = true;
  }

  /** True once the job is safe in another queue; false if its message must stay unacknowledged. */
  retry(queue: string, job: RetryableJob, error: unknown): Promise<boolean> {
    const { now } = this.context;
    const { properties } = job.delivery.message;
    const headers = headersOf(properties);
    const wasTrial = headers[headerNames.trial] === true;
    // A failure of a trial or of a message that was released early does not count, because it was retried before its
    // regular time.
    const isEarly = wasTrial || headers[firstDeathReason] === 'rejected';
    const attempts = Number(headers[headerNames.attempts] ?? 0) + (isEarly ? 0 : 1);
    const firstFailedAt = textOf(headers[headerNames.firstFailedAt]);
    const ageMs = firstFailedAt === undefined ? 0 : now() - Date.parse(firstFailedAt);
    const destination = nextDestination(error, attempts, ageMs, this.steps);
    if (destination === 'dead-letter') {
      this.succeeded(queue, properties);
      return this.deadLetter(queue, job, error, attempts);
    }
    const isTrial = isTransient(error) && this.becomesTrial(queue, job.facts.type, wasTrial);
    const trialStep = ageMs < quickTrialsMaxMs ? this.steps[0] : this.steps[1];
    const step = (isTrial ? trialStep : undefined) ?? destination;
    const { metrics, log } = this.context;
    log.warn('a message failed and will be retried', {
      ...logFields(queue, job),
      attempts,
      error,
      delay_ms: step.delayMs,
    });
    metrics.retried?.(queue, attempts);
    const added = { ...this.failure(job, error, attempts), [headerNames.trial]: isTrial || undefined };
    return this.move(retryQueue(queue, step), queue, job, added);
  }

  /** Dead-letters a job, because it can never be handled or has failed too often. Resolves like `retry`. */
  deadLetter(queue: string, job: RetryableJob, error: unknown, attempts = 1): Promise<boolean> {
    const { log, metrics } = this.context;
    log.error('a message was dead-lettered', { ...logFields(queue, job), attempts, error });
    metrics.deadLettered?.(queue);
    const added = { ...this.failure(job, error, attempts), [headerNames.trial]: undefined };
    return this.move(deadLetterQueue(queue), queue, job, added);
  }

  /** Moves a job to the quarantine queue, where it is handled alone and cannot affect others. Resolves like `retry`. */
  quarantine(queue: string, job: RetryableJob): Promise<boolean> {
    return this.move(quarantineQueue(queue), queue, job, {});
  }

  /**
   * Reports that a message was handled. A retried message releases others; a retried message that is dead-lettered
   * counts as well, because its dependency responded. A message that returns to a retry queue releases none, because it
   * would release itself.
   */
  succeeded(queue: string, properties: MessageProperties): void {
    const headers = headersOf(properties);
    if (headers[headerNames.attempts] === undefined) return;
    if (headers[headerNames.trial] === true) this.triedAt.delete(trialKey(queue, properties.type));
    void this.releaseMore(queue);
  }

  /**
   * Returns messages from retry queues before their delay has passed. A rejected message is moved by the broker, in the
   * same way as an expired one, so none can get lost. Never rejects: messages that are not released wait for their
   * delay.
   */
  private async releaseMore(queue: string): Promise<void> {
    const left = this.toRelease.get(queue);
    this.toRelease.set(queue, (left ?? 0) + releasedPerSuccess);
    if (left !== undefined) return;
    const { consuming, log } = this.context;
    const { current: connection } = consuming;
    try {
      const released = connection?.withChannel((channel) => this.rejectWaiting(channel, queue));
      await Promise.race([connection?.lost, released]);
    } catch (error) {
      log.warn('retries were not released', { queue, error });
    } finally {
      this.toRelease.delete(queue);
    }
  }

  /** Rejects messages of the retry queues, longest waiting first. */
  private async rejectWaiting(channel: Channel, queue: string): Promise<void> {
    for (const step of this.steps.toReversed()) {
      for (let left; (left = this.toRelease.get(queue) ?? 0) > 0;) {
        const message = await channel.get(retryQueue(queue, step));
        if (!message) break;
        channel.nack(message, false, false);
        this.toRelease.set(queue, (this.toRelease.get(queue) ?? left) - 1);
      }
    }
  }

  private becomesTrial(queue: string, type: string, wasTrial: boolean): boolean {
    const key = trialKey(queue, type);
    const now = this.context.now();
    if (!wasTrial && now - (this.triedAt.get(key) ?? -Infinity) < trialLostMs) return false;
    this.triedAt.set(key, now);
    return true;
  }

  /** The headers that state why and when a job failed. */
  private failure({ delivery }: RetryableJob, error: unknown, attempts: number): Record<string, unknown> {
    const at = new Date(this.context.now()).toISOString();
    return {
      [headerNames.attempts]: attempts,
      [headerNames.firstFailedAt]: headersOf(delivery.message.properties)[headerNames.firstFailedAt] ?? at,
      [headerNames.lastFailedAt]: at,
      [headerNames.reason]: reasonOf(error).slice(0, reasonLengthMax),
    };
  }

  /** Publishes a job to another queue as a separate message, and retries until it is stored there. */
  private async move(target: string, queue: string, job: RetryableJob, added: object): Promise<boolean> {
    const { content, contentType } = job.serialize();
    const { type, id: messageId, conversationId: correlationId, retailer, traceparent } = job.facts;
    const kept = keptOf(job.delivery.message.properties);
    const headers = {
      ...kept.headers,
      ...added,
      [headerNames.queue]: this.context.names.own(queue),
      [headerNames.retailer]: retailer,
      ...(traceparent !== undefined && { [headerNames.traceparent]: traceparent }),
    };
    const own = { type, messageId, correlationId, persistent: true, mandatory: true };
    const properties = { ...kept, ...own, ...(contentType !== undefined && { contentType }), headers };
    const message = { exchange: '', key: target, content, properties };
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.publisher.publish('retry', message);
      if (outcome === 'confirmed') return true;
      if (this.isClosed) return false;
      if (attempt === 3)
        this.context.log.error('a failed message cannot be moved', { queue: target, outcome });
      await pause(backoffMs(attempt, republishDelayMinMs, republishDelayMaxMs));
    }
  }
}

function logFields(queue: string, { facts }: RetryableJob): object {
  return { queue, type: facts.type, message_id: facts.id, request_id: facts.conversationId };
}
