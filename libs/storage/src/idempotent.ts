import type { Collection } from 'mongodb';
import {
  idempotencyMismatch,
  ServiceError,
  unavailable,
  type BatchHandler,
  type ContractShape,
  type Handler,
  type Item,
} from '@receipts/kernel';
import { withStorageErrors } from './faults';
import {
  IdempotencyRecords,
  replayOf,
  type Claimed,
  type IdempotencyRecord,
  type IdempotentOptions,
  type Outcome,
} from './idempotency-records';
import type { Contracted } from './request-key';

const pollMs = 50;
/** In a batch the other items wait as well, so the wait for a request that is running elsewhere is short. */
const batchWaitMs = 250;

const stillRunning = () =>
  new ServiceError(unavailable, {
    description: 'a request with this idempotency key is still running, try again',
    headers: { 'retry-after': '1' },
  });

type Execute<C extends ContractShape> = (items: readonly Item<C>[]) => Promise<readonly Outcome<C>[]>;

/** How to proceed with a key that was already claimed: reply, or execute after all. */
type Verdict<C extends ContractShape> = Outcome<C> | { readonly execute: Item<C> };

class KeyedExecution<C extends Contracted> {
  constructor(
    private readonly records: IdempotencyRecords<C>,
    private readonly handle: Execute<C>,
    /** How long to wait for a request that is running elsewhere, but not beyond the deadline of its caller. */
    private readonly waitMs: number,
  ) {}

  async execute(items: readonly Item<C>[]): Promise<readonly Outcome<C>[]> {
    const claims = items
      .filter(({ call }) => call.idempotencyKey !== undefined)
      .map((item) => ({ item, record: this.records.recordOf(item) }));
    if (claims.length === 0) return this.handle(items);
    const taken = await this.records.claim(claims);
    const late = claims.filter((claim) => taken.has(claim));
    const lateItems = new Set(late.map(({ item }) => item));
    const outcomes = await this.executeClaimed(
      items.filter((item) => !lateItems.has(item)),
      claims.filter((claim) => !taken.has(claim)),
    );
    if (late.length > 0) await this.executeLate(late, outcomes);
    return items.map((item) => outcomes.get(item) as Outcome<C>);
  }

  private async executeClaimed(
    items: readonly Item<C>[],
    claims: readonly Claimed<C>[],
  ): Promise<Map<Item<C>, Outcome<C>>> {
    const outcomes = new Map<Item<C>, Outcome<C>>();
    try {
      const answers = items.length === 0 ? [] : await this.handle(items);
      items.forEach((item, i) => outcomes.set(item, answers[i] as Outcome<C>));
      return outcomes;
    } finally {
      const settled = claims.map(({ item }) => outcomes.get(item));
      if (claims.length > 0) await this.records.settle(claims, settled);
    }
  }

  /**
   * Handles the keys that were already claimed, by an earlier request or by an item of the same batch that is done by
   * now.
   */
  private async executeLate(late: readonly Claimed<C>[], outcomes: Map<Item<C>, Outcome<C>>): Promise<void> {
    const found = await this.records.find(late);
    const waitUntil = this.records.now() + this.waitMs;
    const resolveOne = async (claim: Claimed<C>): Promise<void> => {
      const until = Math.min(waitUntil, claim.item.call.deadline);
      const verdict = await this.resolve(claim, found.get(claim.record._id), until);
      if (verdict instanceof ServiceError || !('execute' in verdict)) {
        outcomes.set(claim.item, verdict);
        return;
      }
      const { execute: item } = verdict;
      const executed = await this.executeClaimed([item], [{ item, record: claim.record }]);
      outcomes.set(claim.item, executed.get(item) as Outcome<C>);
    };
    await Promise.all(late.map(resolveOne));
  }

  /** Waits for the execution that holds the key, and takes over if its lease has expired. */
  private async resolve(
    claim: Claimed<C>,
    first: IdempotencyRecord | undefined,
    waitUntil: number,
  ): Promise<Verdict<C>> {
    for (let found = first; ;) {
      const verdict = await this.judge(claim, found);
      if (verdict !== 'wait') return verdict;
      if (this.records.now() + pollMs >= waitUntil) return stillRunning();
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      found = (await this.records.find([claim])).get(claim.record._id);
    }
  }

  private async judge(claim: Claimed<C>, found: IdempotencyRecord | undefined): Promise<Verdict<C> | 'wait'> {
    const { records } = this;
    const { record, item } = claim;
    if (!found) return (await records.claim([claim])).size === 0 ? { execute: item } : 'wait';
    if (found.fingerprint !== record.fingerprint) return new ServiceError(idempotencyMismatch);
    if (found.state === 'done') return replayOf(found);
    if (found.leaseUntil.getTime() >= records.now()) return 'wait';
    return (await records.takeOver(found, record)) ? { execute: records.itemOf(claim, found) } : 'wait';
  }
}

/**
 * Wraps the handler of a command. A repetition with the same `Idempotency-Key` gets the first reply again
 * (`replayed`), and a different request with the same key gets 409 `idempotency_mismatch`. Keys are scoped to one
 * principal of one retailer and to one contract, and are kept for 24 hours. Refusals are not kept. A repetition waits
 * for a first execution that is still running until its caller's deadline, and then gets 503. The request is executed
 * again, under the call id of the first request, once the lease of a dead process has expired (10 s) or after a
 * failure with an unknown outcome. A handler that creates its document under `call.id`, or writes `call.id` together
 * with its effect, recognizes what exists and returns its reply.
 */
export function withIdempotencyKeys<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: Handler<C>,
  options?: IdempotentOptions,
): Handler<C>;
export function withIdempotencyKeys<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: BatchHandler<C>,
  options?: IdempotentOptions,
): BatchHandler<C>;
export function withIdempotencyKeys<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: Handler<C> | BatchHandler<C>,
  options: IdempotentOptions = {},
): Handler<C> | BatchHandler<C> {
  const records = new IdempotencyRecords(collection, contract, options);
  if (typeof handler !== 'function') {
    const keyed = new KeyedExecution(records, (items) => handler.batch(items), batchWaitMs);
    return { batch: (items) => withStorageErrors(() => keyed.execute(items)) };
  }
  const handleOne: Execute<C> = async ([item]) => [await outcomeOf(handler, item as Item<C>)];
  const keyed = new KeyedExecution(records, handleOne, Infinity);
  return async (input, call) => {
    const [outcome] = await withStorageErrors(() => keyed.execute([{ input, call }]));
    if (outcome instanceof ServiceError) throw outcome;
    return outcome as Exclude<typeof outcome, undefined>;
  };
}

async function outcomeOf<C extends Contracted>(
  handler: Handler<C>,
  { input, call }: Item<C>,
): Promise<Outcome<C>> {
  try {
    return await handler(input, call);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
