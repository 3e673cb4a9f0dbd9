import { ServiceError, unavailable, type Call, type Span, type Tracing } from '@receipts/kernel';
import { unpackEnvelope, type RequestHeader } from '../message/envelope';
import { requestFacts } from '../message/request';
import { processSpan, type Destination } from '../reporting/spans';
import type { BatchQueue } from './batch-queue';
import type { Job } from './handler-queue';
import { outcomeOfError, spanErrorOf, type Outcome } from './outcome';
import type { Delivery } from './queue-consumer';

/** One request or command of a delivered message, until its outcome. */
export class RequestJob implements Job {
  span: Span | undefined;
  #isSettled = false;

  constructor(
    readonly delivery: Delivery,
    readonly header: RequestHeader,
    readonly body: Buffer,
    public call: Call,
  ) {}

  startSpan(tracing: Tracing | undefined, destination: Destination): void {
    if (!tracing) return;
    this.span = processSpan(tracing, destination, requestFacts(this.header.type, this.header.call));
    if (this.span) this.call = { ...this.call, traceparent: this.span.traceparent };
  }

  /** False if it was settled before: only the first outcome counts. */
  settle(outcome: Outcome | 'timeout'): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.span?.end(outcome === 'timeout' ? outcome : spanErrorOf(outcome));
    return true;
  }
}

/** @throws Error when the message is not an envelope */
export function unpackJobs(delivery: Delivery): RequestJob[] {
  const items = unpackEnvelope<RequestHeader>(delivery.message.content);
  delivery.split(items.length);
  return items.map(({ header, body }) => new RequestJob(delivery, header, body, header.call));
}

/** Adds each job to the queue of its contract. */
export function enqueueJobs(
  jobs: readonly RequestJob[],
  queues: ReadonlyMap<string, BatchQueue<RequestJob>>,
  finish: (job: RequestJob, outcome: Outcome) => void,
): void {
  for (const job of jobs) {
    const { type } = job.header;
    const queue = queues.get(type);
    if (queue) queue.add(job);
    // During a rollout, another instance of a different version may serve it.
    else
      finish(job, outcomeOfError(new ServiceError(unavailable, { internal: `${type} is not served here` })));
  }
}
