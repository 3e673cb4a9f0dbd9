import type { BatchHandler, Contract, Handler, Item, Tracing } from '@receipts/kernel';
import { Pace, ServiceError, type Input } from '@receipts/kernel';
import { inputOf, outcomeOfError, type Job, type Outcome } from './job';
import { Lane, type LaneOptions } from './lane';
import type { Log } from '../reporting/log';
import type { MessagingMetrics } from '../reporting/metrics';
import { handledIn } from '../reporting/spans';

/** Default for the maximum number of items per call of a batch handler. */
export const batchMaxDefault = 256;
/** Default for the number of concurrent calls of a single-item handler. */
export const concurrencyDefault = 128;
/** The next batch is prepared while one is being written. */
const batchesAtOnce = 2;

/** Larger bodies are parsed at a pace that all contracts share, so that requests with small bodies are not delayed. */
const longBodyBytesMin = 64 * 1024;
const longBodiesPerTurnBytesMax = 256 * 1024;
const pace = new Pace(longBodiesPerTurnBytesMax);

function inputInTurn(contract: Contract, job: Job): Input | Promise<Input> {
  const { length } = job.body;
  if (length < longBodyBytesMin) return inputOf(contract, job);
  return pace.run(length, () => inputOf(contract, job));
}

export interface HandlingOptions {
  readonly contract: Contract;
  readonly handler: Handler | BatchHandler;
  readonly batchMax?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly gatherMs?: number;
  readonly timeoutMs?: number;
  readonly giveUp?: LaneOptions<Job>['giveUp'];
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly tracing?: Tracing | undefined;
  readonly now: () => number;
}

/** The lane of one contract, which passes its items to the handler and each outcome to its item. */
export function laneOf(options: HandlingOptions): Lane<Job> {
  const { contract, handler, log, tracing } = options;
  const { batchMax = batchMaxDefault, concurrency = concurrencyDefault } = options;
  const isBatch = typeof handler !== 'function';
  return new Lane<Job>({
    type: contract.name,
    batchMax: isBatch ? batchMax : 1,
    concurrency: isBatch ? batchesAtOnce : concurrency,
    gatherMs: options.gatherMs,
    timeoutMs: options.timeoutMs,
    giveUp: options.giveUp,
    start: (job) => job.start(),
    run: (jobs) => {
      const work = () => (isBatch ? runBatch(contract, handler, jobs) : runSingle(contract, handler, jobs));
      return timed(options, jobs, tracing ? traced(tracing, contract.name, jobs, work) : work());
    },
    log,
  });
}

type Ended = readonly (readonly [Job, Outcome])[];

function traced(
  tracing: Tracing,
  type: string,
  jobs: readonly Job[],
  work: () => Promise<Ended>,
): Promise<Ended> {
  const { destination } = jobs[0] as Job;
  const spans = jobs.map(({ span }) => span);
  return handledIn(tracing, destination, type, spans, work);
}

async function timed(options: HandlingOptions, jobs: readonly Job[], work: Promise<Ended>): Promise<void> {
  const { contract, metrics, now } = options;
  const startedAt = now();
  metrics.batch?.(contract.name, jobs.length);
  const ended = await work;
  const ms = now() - startedAt;
  for (const [job, outcome] of ended) {
    metrics.handled?.(contract.name, statusOf(outcome), ms);
    job.finish(outcome);
  }
}

function statusOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'reply':
      return 200;
    case 'refusal':
      return outcome.refusal.status;
    case 'fault':
      return 500;
  }
}

async function runSingle(contract: Contract, handler: Handler, jobs: readonly Job[]): Promise<Ended> {
  return Promise.all(
    jobs.map(async (job) => {
      try {
        const reply = await handler(await inputInTurn(contract, job), job.call);
        return [job, { kind: 'reply', reply }] as const;
      } catch (error) {
        return [job, outcomeOfError(error)] as const;
      }
    }),
  );
}

async function runBatch(contract: Contract, handler: BatchHandler, jobs: readonly Job[]): Promise<Ended> {
  const ended: (readonly [Job, Outcome])[] = [];
  const good: Job[] = [];
  const items: Item[] = [];
  for (const job of jobs) {
    try {
      const input = inputInTurn(contract, job);
      items.push({ input: input instanceof Promise ? await input : input, call: job.call });
      good.push(job);
    } catch (error) {
      ended.push([job, outcomeOfError(error)]);
    }
  }
  const outcomes = await outcomesOf(handler, items);
  good.forEach((job, i) => ended.push([job, outcomes[i] as Outcome]));
  return ended;
}

/**
 * When a batch fails as a whole with an unexpected error, its items are handled one by one, so that one bad item does
 * not fail the others.
 */
async function outcomesOf(handler: BatchHandler, items: readonly Item[]): Promise<readonly Outcome[]> {
  if (items.length === 0) return [];
  try {
    const results = await handler.batch(items);
    if (results.length !== items.length) {
      throw new Error(`a batch handler gave ${results.length} results for ${items.length} items`);
    }
    return results.map((result) =>
      result instanceof ServiceError ? outcomeOfError(result) : { kind: 'reply', reply: result },
    );
  } catch (error) {
    if (items.length === 1 || error instanceof ServiceError) return items.map(() => outcomeOfError(error));
    const outcomes: Outcome[] = [];
    for (const item of items) outcomes.push(...(await outcomesOf(handler, [item])));
    return outcomes;
  }
}
