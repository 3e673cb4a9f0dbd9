import { BackOff } from './back-off';
import type { OpenJob } from './job-file';
import type { JobQueue } from './job-queue';
import { pause } from './pause';
import type { PlatformResponse, PlatformClient } from './platform-client';
import { outcomeOf, type LaterCause, type PostOutcome } from './post-outcome';

export interface SenderOptions {
  readonly queue: JobQueue;
  readonly platform: Pick<PlatformClient, 'request' | 'clock'>;
  /** The till's metadata, such as `store_reference`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The version of the agent. */
  readonly version: string;
  readonly log: (line: string) => void;
  readonly backOff?: BackOff;
  readonly settleMsMax?: number;
}

/** Why the oldest job is not being sent. */
export interface Trouble {
  readonly cause: LaterCause;
  readonly reason: string;
}

const pending = 409;
/** Responses that do not show whether the receipt is ready. */
const unknownStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const settleFirstMs = 20;
const settleLastMs = 2_000;
/** Long enough for a retry: if the process of a conversion is killed, the platform retries the conversion after 30 s. */
const defaultSettleMsMax = 180_000;

/**
 * Sends the jobs of the queue one after another, oldest first. The next job waits until the platform has converted the
 * previous one, because conversions can overtake each other.
 */
export class Sender {
  accepted = 0;
  refused = 0;
  trouble: Trouble | undefined;
  /** Why the last rejected job was rejected. */
  lastRefusal: string | undefined;
  private readonly stopping = new AbortController();
  private readonly backOff: BackOff;
  private readonly settleMsMax: number;
  /** False after a conversion that took too long, until one finishes in time again. */
  private waitsForConversion = true;

  constructor(private readonly options: SenderOptions) {
    this.backOff = options.backOff ?? new BackOff();
    this.settleMsMax = options.settleMsMax ?? defaultSettleMsMax;
  }

  /** Returns after `stop`. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const number = await this.options.queue.oldest(signal);
      if (number === undefined) return;
      try {
        await this.sendOldest(number, signal);
      } catch (error) {
        await this.fail({ cause: 'platform', reason: (error as Error).message }, 0, signal);
      }
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async sendOldest(number: number, signal: AbortSignal): Promise<void> {
    const { queue } = this.options;
    let job: OpenJob;
    try {
      job = await queue.read(number);
    } catch (error) {
      return this.refuse(number, `the job cannot be read: ${(error as Error).message}`);
    }
    try {
      const outcome = await this.post(job, signal);
      if (outcome.kind === 'later') return await this.fail(outcome, outcome.retryAfterMs, signal);
      this.succeed();
      if (outcome.kind !== 'accepted') return await this.refuse(number, outcome.reason);
      await this.settle(outcome.location, signal);
      if (signal.aborted) return;
      this.accepted += 1;
      await queue.accepted(number);
    } finally {
      await job.close();
    }
  }

  private async post(job: OpenJob, signal: AbortSignal): Promise<PostOutcome> {
    const outcome = await this.postOnce(job, job.facts.link?.link, signal);
    if (outcome.kind !== 'without_link') return outcome;
    this.options.log(`the link of a slip cannot be used: ${outcome.reason}`);
    return this.postOnce(job, undefined, signal);
  }

  private async postOnce(job: OpenJob, link: string | undefined, signal: AbortSignal): Promise<PostOutcome> {
    const { id, contentType, headers } = job.facts;
    const { platform, metadata, queue, version } = this.options;
    const isChanged = link === undefined && job.facts.link !== undefined;
    const query = new URLSearchParams(metadata).toString();
    try {
      const answer = await platform.request(
        {
          method: 'POST',
          path: `/pos/receipts${query === '' ? '' : `?${query}`}`,
          headers: {
            ...headers,
            'content-type': contentType,
            'service-agent-version': version,
            // This job is no longer waiting once the platform has it.
            'service-agent-waiting': String(queue.length - 1),
            'service-agent-time': new Date(platform.clock.localNow()).toISOString(),
            // A different request needs a different key.
            'idempotency-key': isChanged ? `${id}-without-link` : id,
            ...(link !== undefined && { 'service-link': link }),
          },
          body: { bytes: job.bytes, read: () => job.read() },
        },
        signal,
      );
      return outcomeOf(answer, platform.clock.now());
    } catch (error) {
      return { kind: 'later', cause: 'network', reason: (error as Error).message, retryAfterMs: 0 };
    }
  }

  /**
   * Waits until the receipt exists, or its conversion has failed. If the permission to read the receipt is missing,
   * does not wait.
   */
  private async settle(location: string | undefined, signal: AbortSignal): Promise<void> {
    const path = /\/receipts\/[^/]+$/.exec(location ?? '')?.[0];
    if (path === undefined) return;
    const deadline = performance.now() + this.settleMsMax;
    for (let ms = settleFirstMs; !signal.aborted; ms = Math.min(ms * 1.5, settleLastMs)) {
      const status = await this.statusOf(path, signal);
      if (status !== undefined && status !== pending && !unknownStatuses.has(status)) {
        this.waitsForConversion = true;
        return;
      }
      if (!this.waitsForConversion) return;
      if (performance.now() > deadline) {
        this.options.log('a conversion takes a long time; the following jobs do not wait for it');
        this.waitsForConversion = false;
        return;
      }
      await pause(ms, signal);
    }
  }

  private async statusOf(path: string, signal: AbortSignal): Promise<number | undefined> {
    try {
      const answer: PlatformResponse = await this.options.platform.request({ method: 'HEAD', path }, signal);
      return answer.status;
    } catch {
      // The request is retried until the deadline.
      return undefined;
    }
  }

  private async refuse(number: number, reason: string): Promise<void> {
    this.refused += 1;
    this.lastRefusal = reason;
    this.options.log(`a job was rejected: ${reason}`);
    await this.options.queue.refuse(number, reason);
  }

  private succeed(): void {
    if (this.trouble) this.options.log('the platform responds again');
    this.trouble = undefined;
    this.backOff.reset();
  }

  private async fail(trouble: Trouble, retryAfterMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (this.trouble?.reason !== trouble.reason) this.options.log(`jobs are waiting: ${trouble.reason}`);
    this.trouble = { cause: trouble.cause, reason: trouble.reason };
    await pause(this.backOff.nextMs(retryAfterMs), signal);
  }
}
