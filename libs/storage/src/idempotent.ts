import type { Collection } from 'mongodb';
import {
  idempotencyMismatch,
  ServiceError,
  unavailable,
  type BatchHandler,
  type Call,
  type ContractShape,
  type Handler,
  type Item,
} from '@receipts/kernel';
import { toUnavailableError } from './faults';
import {
  IdempotencyRecords,
  replayOf,
  type Claimed,
  type Contracted,
  type IdempotencyRecord,
  type IdempotentOptions,
  type Outcome,
} from './idempotency-records';

const pollMs = 50;
/** In a batch the other items wait as well, so the wait for a request that is running elsewhere is short. */
const batchWaitMs = 250;

const stillRunning = () =>
  new ServiceError(unavailable, {
    description: 'a request with this idempotency key is still running, try again',
    headers: { 'retry-after': '1' },
  });

/** How to proceed with a key that was already claimed: reply, or execute after all. */
type Verdict<C extends ContractShape> = Outcome<C> | { readonly execute: Item<C> };

async function standing<C extends Contracted>(
  records: IdempotencyRecords<C>,
  claim: Claimed<C>,
  found: IdempotencyRecord | undefined,
): Promise<Verdict<C> | 'wait'> {
  const { record } = claim;
  if (!found) return (await records.claim([claim])).size === 0 ? { execute: claim.item } : 'wait';
  if (found.fingerprint !== record.fingerprint) return new ServiceError(idempotencyMismatch);
  if (found.state === 'done') return replayOf(found);
  if (found.leaseUntil.getTime() >= records.now()) return 'wait';
  return (await records.takeOver(found, record)) ? { execute: records.itemOf(claim, found) } : 'wait';
}

/** Waits for the execution that holds the key, and takes over if its lease has expired. */
async function resolveClaimed<C extends Contracted>(
  records: IdempotencyRecords<C>,
  claim: Claimed<C>,
  waitUntil: number,
): Promise<Verdict<C>> {
  for (;;) {
    const found = await records.find([claim]);
    const verdict = await standing(records, claim, found.get(claim.record._id));
    if (verdict !== 'wait') return verdict;
    if (records.now() + pollMs >= waitUntil) return stillRunning();
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function idempotentHandler<C extends Contracted>(
  records: IdempotencyRecords<C>,
  handler: Handler<C>,
): Handler<C> {
  return async (input, call) => {
    if (call.idempotencyKey === undefined) return handler(input, call);
    const item: Item<C> = { input, call };
    const claim = { item, record: records.recordOf(item) };
    let execute = item;
    if ((await records.claim([claim])).size > 0) {
      const outcome = await resolveClaimed(records, claim, call.deadline);
      if (outcome instanceof ServiceError) throw outcome;
      if (!('execute' in outcome)) return outcome;
      execute = outcome.execute;
    }
    let outcome: Outcome<C> | undefined;
    try {
      return (outcome = await handler(execute.input, execute.call));
    } catch (error) {
      if (error instanceof ServiceError) outcome = error;
      throw error;
    } finally {
      await records.settle([claim], [outcome]);
    }
  };
}

function idempotentBatch<C extends Contracted>(
  records: IdempotencyRecords<C>,
  handler: BatchHandler<C>,
): BatchHandler<C> {
  async function execute(
    items: readonly Item<C>[],
    claims: readonly Claimed<C>[],
  ): Promise<Map<Item<C>, Outcome<C>>> {
    const outcomes = new Map<Item<C>, Outcome<C>>();
    try {
      const answers = items.length === 0 ? [] : await handler.batch(items);
      items.forEach((item, i) => outcomes.set(item, answers[i] as Outcome<C>));
      return outcomes;
    } finally {
      if (claims.length > 0) {
        await records.settle(
          claims,
          claims.map(({ item }) => outcomes.get(item)),
        );
      }
    }
  }

  /**
   * Handles the keys that were already claimed, by an earlier request or by an item of the same batch that is done by
   * now.
   */
  async function executeLate(late: readonly Claimed<C>[]): Promise<Map<Item<C>, Outcome<C>>> {
    const outcomes = new Map<Item<C>, Outcome<C>>();
    const found = await records.find(late);
    const waitUntil = records.now() + batchWaitMs;
    const resolveOne = async (claim: Claimed<C>): Promise<void> => {
      const first = await standing(records, claim, found.get(claim.record._id));
      const until = Math.min(waitUntil, claim.item.call.deadline);
      const verdict = first === 'wait' ? await resolveClaimed(records, claim, until) : first;
      if (verdict instanceof ServiceError || !('execute' in verdict)) {
        outcomes.set(claim.item, verdict);
        return;
      }
      const again = { item: verdict.execute, record: claim.record };
      for (const outcome of (await execute([again.item], [again])).values())
        outcomes.set(claim.item, outcome);
    };
    await Promise.all(late.map(resolveOne));
    return outcomes;
  }

  return {
    async batch(items) {
      const claims = items
        .filter(({ call }) => call.idempotencyKey !== undefined)
        .map((item) => ({ item, record: records.recordOf(item) }));
      if (claims.length === 0) return handler.batch(items);
      const taken = await records.claim(claims);
      const late = claims.filter((claim) => taken.has(claim));
      const lateItems = new Set(late.map(({ item }) => item));
      const outcomes = await execute(
        items.filter((item) => !lateItems.has(item)),
        claims.filter((claim) => !taken.has(claim)),
      );
      if (late.length > 0) for (const [item, outcome] of await executeLate(late)) outcomes.set(item, outcome);
      return items.map((item) => outcomes.get(item) as Outcome<C>);
    },
  };
}

/** A database failure of the idempotency records becomes a 503, as any other does. */
function withStorageFaults<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call: Call) => {
    try {
      return await handler(input, call);
    } catch (error) {
      throw toUnavailableError(error) ?? error;
    }
  };
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
    const wrapped = idempotentBatch(records, handler);
    return {
      async batch(items) {
        try {
          return await wrapped.batch(items);
        } catch (error) {
          throw toUnavailableError(error) ?? error;
        }
      },
    };
  }
  return withStorageFaults(idempotentHandler(records, handler));
}
