import { randomUUID } from 'node:crypto';
import type { Binary, Collection } from 'mongodb';
import {
  idempotencyMismatch,
  ServiceError,
  unavailable,
  type BatchHandler,
  type Call,
  type ContractShape,
  type Handler,
  type Item,
  type Reply,
} from '@receipts/kernel';
import { fingerprint } from './canonical-json';
import type { CollectionDeclaration } from './collection';
import { isDuplicateKey, storageFault, writeErrorsByIndex } from './faults';
import type { Log } from './log';

/** The record of one idempotency key. */
export interface IdempotencyRecord {
  /** `retailer|contract|key` */
  readonly _id: string;
  readonly fingerprint: string;
  readonly state: 'running' | 'done';
  /** Names the execution that holds the record. */
  readonly run: string;
  /** A running execution that has not ended by then is taken for dead. */
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
  readonly body?: Buffer | Binary;
  /** JSON */
  readonly meta?: string;
}

const keptMs = 24 * 60 * 60_000;
const leaseMs = 10_000;
const pollMs = 50;
/** In a batch the neighbours wait as well, so a request that is running elsewhere is not awaited for long. */
const batchWaitMs = 250;

export const idempotencyCollection: CollectionDeclaration = {
  name: 'idempotency',
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

export interface IdempotentOptions {
  readonly log?: Log;
  readonly now?: () => number;
}

type Contracted = ContractShape & { readonly name: string };

interface Claimed<C extends ContractShape> {
  readonly item: Item<C>;
  readonly record: IdempotencyRecord;
}

type Outcome<C extends ContractShape> = Reply<C> | ServiceError;

class Records<C extends Contracted> {
  readonly now: () => number;
  private readonly isJson: boolean;

  constructor(
    private readonly collection: Collection<IdempotencyRecord>,
    private readonly contract: C,
    private readonly options: IdempotentOptions,
  ) {
    this.now = options.now ?? Date.now;
    const { body } = contract;
    this.isJson = body === undefined || !('kind' in body) || body.kind !== 'bytes';
  }

  recordOf(item: Item<C>): IdempotencyRecord {
    const now = this.now();
    const { retailer, idempotencyKey } = item.call;
    return {
      _id: `${retailer}|${this.contract.name}|${idempotencyKey}`,
      fingerprint: fingerprint(item.input, this.isJson),
      state: 'running',
      run: randomUUID(),
      leaseUntil: new Date(now + leaseMs),
      expiresAt: new Date(now + keptMs),
    };
  }

  /** Claims keys; gives those that somebody else has claimed before. */
  async claim(claims: readonly Claimed<C>[]): Promise<ReadonlySet<Claimed<C>>> {
    try {
      await this.collection.insertMany(
        claims.map(({ record }) => ({ ...record })),
        { ordered: false },
      );
      return new Set();
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
      return new Set(claims.filter((_claim, i) => faults.has(i)));
    }
  }

  async find(ids: readonly string[]): Promise<Map<string, IdempotencyRecord>> {
    const found = await this.collection.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map((record) => [record._id, record]));
  }

  /** Takes over from an execution whose lease has run out; false when another request was quicker. */
  async takeOver(dead: IdempotencyRecord, mine: IdempotencyRecord): Promise<boolean> {
    const { run, leaseUntil, expiresAt } = mine;
    const result = await this.collection.updateOne(
      { _id: dead._id, state: 'running', run: dead.run },
      { $set: { run, leaseUntil, expiresAt } },
    );
    return result.modifiedCount === 1;
  }

  /** Remembers successes and forgets failures. */
  async settle(claims: readonly Claimed<C>[], outcomes: readonly (Outcome<C> | undefined)[]): Promise<void> {
    const failed: IdempotencyRecord[] = [];
    const updates = claims.flatMap(({ record }, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined || outcome instanceof ServiceError) {
        failed.push(record);
        return [];
      }
      const { body, meta } = outcome as { body?: unknown; meta?: unknown };
      const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const kept = {
        state: 'done' as const,
        ...(bytes !== undefined && { body: bytes }),
        ...(meta !== undefined && { meta: JSON.stringify(meta) }),
      };
      return [{ updateOne: { filter: { _id: record._id, run: record.run }, update: { $set: kept } } }];
    });
    const forget = async () => {
      if (failed.length === 0) return;
      const [ids, runs] = [failed.map(({ _id }) => _id), failed.map(({ run }) => run)];
      await this.collection.deleteMany({ _id: { $in: ids }, run: { $in: runs }, state: 'running' });
    };
    const remember = async () => {
      if (updates.length > 0) await this.collection.bulkWrite(updates, { ordered: false });
    };
    for (const result of await Promise.allSettled([remember(), forget()])) {
      // The work is done or has failed, and its answer stands. A repetition after the lease executes again.
      if (result.status === 'rejected') {
        const { name } = result.reason as Error;
        this.options.log?.warn('could not settle idempotency records', { count: claims.length, error: name });
      }
    }
  }
}

function replayOf<C extends ContractShape>({ body, meta }: IdempotencyRecord): Reply<C> {
  const bytes = body && !Buffer.isBuffer(body) ? Buffer.from(body.buffer) : body;
  return {
    ...(bytes !== undefined && { body: bytes }),
    ...(meta !== undefined && { meta: JSON.parse(meta) as unknown }),
    replayed: true,
  } as unknown as Reply<C>;
}

const stillRunning = () =>
  new ServiceError(unavailable, {
    description: 'a request with this idempotency key is still running, try again',
    headers: { 'retry-after': '1' },
  });

/** What to do about a key that was claimed before: an answer, or go on waiting, or execute after all. */
type Standing<C extends ContractShape> = Outcome<C> | 'execute' | 'wait';

async function standing<C extends Contracted>(
  records: Records<C>,
  claim: Claimed<C>,
  found: IdempotencyRecord | undefined,
): Promise<Standing<C>> {
  const { record } = claim;
  if (!found) return (await records.claim([claim])).size === 0 ? 'execute' : 'wait';
  if (found.fingerprint !== record.fingerprint) return new ServiceError(idempotencyMismatch);
  if (found.state === 'done') return replayOf(found);
  if (found.leaseUntil.getTime() >= records.now()) return 'wait';
  return (await records.takeOver(found, record)) ? 'execute' : 'wait';
}

/** Waits for the execution that holds the key, or executes if it has died. */
async function resolveClaimed<C extends Contracted>(
  records: Records<C>,
  claim: Claimed<C>,
  waitUntil: number,
): Promise<Outcome<C> | 'execute'> {
  for (;;) {
    const found = await records.find([claim.record._id]);
    const verdict = await standing(records, claim, found.get(claim.record._id));
    if (verdict !== 'wait') return verdict;
    if (records.now() + pollMs >= waitUntil) return stillRunning();
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function idempotentHandler<C extends Contracted>(records: Records<C>, handler: Handler<C>): Handler<C> {
  return async (input, call) => {
    if (call.idempotencyKey === undefined) return handler(input, call);
    const item: Item<C> = { input, call };
    const claim = { item, record: records.recordOf(item) };
    if ((await records.claim([claim])).size > 0) {
      const outcome = await resolveClaimed(records, claim, call.deadline);
      if (outcome instanceof ServiceError) throw outcome;
      if (outcome !== 'execute') return outcome;
    }
    let reply: Reply<C> | undefined;
    try {
      reply = await handler(input, call);
      return reply;
    } finally {
      await records.settle([claim], [reply]);
    }
  };
}

function idempotentBatch<C extends Contracted>(
  records: Records<C>,
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

  /** The keys that were claimed before: by an earlier request, or by a neighbour in the same batch that is done by now. */
  async function executeLate(late: readonly Claimed<C>[]): Promise<Map<Item<C>, Outcome<C>>> {
    const outcomes = new Map<Item<C>, Outcome<C>>();
    const found = await records.find(late.map(({ record }) => record._id));
    const waitUntil = records.now() + batchWaitMs;
    const resolveOne = async (claim: Claimed<C>): Promise<void> => {
      const first = await standing(records, claim, found.get(claim.record._id));
      const until = Math.min(waitUntil, claim.item.call.deadline);
      const verdict = first === 'wait' ? await resolveClaimed(records, claim, until) : first;
      if (verdict !== 'execute') {
        outcomes.set(claim.item, verdict);
        return;
      }
      for (const [item, outcome] of await execute([claim.item], [claim])) outcomes.set(item, outcome);
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

/** Storage trouble of the records themselves is the caller's 503, like any other. */
function withStorageFaults<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call: Call) => {
    try {
      return await handler(input, call);
    } catch (error) {
      throw storageFault(error) ?? error;
    }
  };
}

/**
 * Wraps the handler of a command so that a repetition with the same `Idempotency-Key` gets the first answer again
 * (`replayed`), and another request with the same key 409 `idempotency_mismatch`. Keys belong to one retailer and contract
 * and are remembered for 24 hours. Failures are not remembered. A request whose first execution is still running waits
 * for it as long as its caller does, then gets 503. After the death of the executing process the request is executed
 * again, 10 s later.
 */
export function idempotent<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: Handler<C>,
  options?: IdempotentOptions,
): Handler<C>;
export function idempotent<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: BatchHandler<C>,
  options?: IdempotentOptions,
): BatchHandler<C>;
export function idempotent<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: Handler<C> | BatchHandler<C>,
  options: IdempotentOptions = {},
): Handler<C> | BatchHandler<C> {
  const records = new Records(collection, contract, options);
  if (typeof handler !== 'function') {
    const wrapped = idempotentBatch(records, handler);
    return {
      async batch(items) {
        try {
          return await wrapped.batch(items);
        } catch (error) {
          throw storageFault(error) ?? error;
        }
      },
    };
  }
  return withStorageFaults(idempotentHandler(records, handler));
}
