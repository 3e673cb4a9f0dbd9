import { EventLoopBudget, handleBatch } from '@receipts/concurrency';
import {
  ServiceError,
  storesDenied,
  type BatchHandler,
  type Call,
  type Contract,
  type Handler,
  type Handlers,
  type Input,
  type Item,
  type Span,
  type Tracing,
} from '@receipts/kernel';
import {
  packEnvelope,
  parseInput,
  requestFacts,
  unpackEnvelope,
  type RequestHeader,
} from '../message/envelope';
import { handledIn, messageSpan, type Destination, type MessageFacts } from '../reporting/spans';
import type { BrokerContext } from '../topology/broker-context';
import { BatchQueue, type BatchQueueOptions } from './batch-queue';
import { statusOf, type HandlerResult, spanErrorOf } from './outcome';
import { envelopeContentType } from '../message/properties';
import type { Delivery, RetryableJob } from './delivery';

/** The maximum number of items per call of a batch handler. */
const batchMax = 256;
/** Default for the number of concurrent calls of a single-item handler. */
const concurrencyDefault = 128;
/** The next batch is prepared while one is being written. */
const concurrentBatches = 2;

/**
 * Larger bodies are parsed within a budget that all contracts share, so that requests with small bodies are not
 * delayed.
 */
const longBodyBytesMin = 64 * 1024;
const longBodiesPerTurnBytesMax = 256 * 1024;
const budget = new EventLoopBudget(longBodiesPerTurnBytesMax);

/** A contract with its handler and the limits of its handling. */
export interface ServedContract {
  readonly contract: Contract;
  readonly handler: Handler | BatchHandler;
  readonly concurrency?: number | undefined;
}

export interface ServeOptions<T extends Record<string, Contract>> {
  /** The service that owns the queues, which is the first part of the contracts' names. */
  readonly owner: string;
  readonly contracts: T;
  readonly handlers: Handlers<T>;
  /** The maximum number of concurrent calls of a single-item handler, for all contracts or by name; default 128. */
  readonly concurrency?: number | { readonly [K in keyof T]?: number };
}

export function servedContracts<T extends Record<string, Contract>>(
  options: ServeOptions<T>,
): readonly ServedContract[] {
  const { contracts, handlers, concurrency } = options;
  return Object.entries(contracts).map(([key, contract]) => ({
    contract,
    handler: handlers[key] as Handler | BatchHandler,
    concurrency: typeof concurrency === 'object' ? concurrency[key] : concurrency,
  }));
}

/** One item of a message, to be handled. */
export interface Job {
  readonly header: RequestHeader;
  readonly body: Buffer;
  /** The call as passed to the handler. */
  call: Call;
  /** The span of the handling; undefined if the item is not traced. */
  span?: Span | undefined;
}

export interface HandlerQueueOptions<J extends Job>
  extends
    ServedContract,
    Pick<BatchQueueOptions<J>, 'batchWindowMs' | 'giveUp'>,
    Pick<BrokerContext, 'log' | 'metrics' | 'now'>,
    Partial<Pick<BrokerContext, 'tracing'>> {
  /** The source of the messages, for spans. */
  readonly destination: Destination;
  /** Called right before an item is handled; false if its caller no longer waits. */
  readonly start: (job: J) => boolean;
  readonly finish: (job: J, outcome: HandlerResult) => void;
}

/** The queue of one contract, which passes its items to the handler and reports each outcome to `finish`. */
export function createHandlerQueue<J extends Job>(options: HandlerQueueOptions<J>): BatchQueue<J> {
  const { contract, handler, destination, start, finish, metrics, tracing, now } = options;
  const { concurrency = concurrencyDefault } = options;
  const isBatch = typeof handler !== 'function';
  return new BatchQueue<J>({
    ...options,
    type: contract.name,
    batchMax: isBatch ? batchMax : 1,
    concurrency: isBatch ? concurrentBatches : concurrency,
    async run(waiting) {
      const jobs = waiting.filter((job) => start(job));
      if (jobs.length === 0) return;
      const startedAt = now();
      metrics.batch?.(contract.name, jobs.length);
      const handle = () => handleJobs(contract, handler, jobs);
      const spans = tracing ? jobs.map((job) => startSpan(tracing, destination, job)) : [];
      const outcomes = await handledIn(tracing, destination, contract.name, spans, handle);
      const ms = now() - startedAt;
      jobs.forEach((job, i) => {
        const outcome = outcomes[i] as HandlerResult;
        metrics.handled?.(contract.name, statusOf(outcome), ms);
        spans[i]?.end(spanErrorOf(outcome));
        finish(job, outcome);
      });
    },
  });
}

function startSpan(tracing: Tracing, destination: Destination, job: Job): Span | undefined {
  const facts = requestFacts(job.header.type, job.header.call);
  job.span = messageSpan(tracing, 'process', destination, facts);
  if (job.span) job.call = { ...job.call, traceparent: job.span.traceparent };
  return job.span;
}

async function handleJobs(
  contract: Contract,
  handler: Handler | BatchHandler,
  jobs: readonly Job[],
): Promise<readonly HandlerResult[]> {
  const outcomes: HandlerResult[] = [];
  const items: Item[] = [];
  const indexes: number[] = [];
  for (const [i, job] of jobs.entries()) {
    try {
      if (job.call.stores && !contract.forStores) throw storesDenied();
      const input = readInput(contract, job);
      items.push({ input: input instanceof Promise ? await input : input, call: job.call });
      indexes.push(i);
    } catch (error) {
      outcomes[i] = { error };
    }
  }
  if (items.length === 0) return outcomes;
  const toOutcome = (error: unknown): HandlerResult => ({ error });
  const isAnswer = (error: unknown) => error instanceof ServiceError;
  const handled = await handleBatch(items, (some) => handleItems(handler, some), toOutcome, isAnswer);
  indexes.forEach((index, i) => (outcomes[index] = handled[i] as HandlerResult));
  return outcomes;
}

async function handleItems(
  handler: Handler | BatchHandler,
  items: readonly Item[],
): Promise<readonly HandlerResult[]> {
  if (typeof handler === 'function') {
    const [{ input, call }] = items as [Item];
    return [{ reply: await handler(input, call) }];
  }
  const results = await handler.batch(items);
  if (results.length !== items.length)
    throw new Error(`a batch handler returned ${results.length} results for ${items.length} items`);
  return results.map((result) => (result instanceof ServiceError ? { error: result } : { reply: result }));
}

function readInput(contract: Contract, job: Job): Input | Promise<Input> {
  const { length } = job.body;
  if (length < longBodyBytesMin) return parseInput(contract, job.header, job.body);
  return budget.run(length, () => parseInput(contract, job.header, job.body));
}

/** One request or command of a delivered message, until its outcome. */
export class RequestJob implements Job, RetryableJob {
  span: Span | undefined;
  isSettled = false;

  constructor(
    readonly delivery: Delivery,
    readonly header: RequestHeader,
    readonly body: Buffer,
    public call: Call,
  ) {}

  get facts(): MessageFacts {
    return requestFacts(this.header.type, this.header.call);
  }

  serialize(): { readonly content: Buffer; readonly contentType: string } {
    const content = packEnvelope([{ head: JSON.stringify(this.header), body: this.body }]);
    return { content, contentType: envelopeContentType };
  }
}

/** @throws Error if the message is not a valid envelope */
export function unpackJobs(delivery: Delivery): RequestJob[] {
  const items = unpackEnvelope<RequestHeader>(delivery.message.content);
  return items.map(({ header, body }) => new RequestJob(delivery, header, body, header.call));
}
