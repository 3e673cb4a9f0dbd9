import { randomUUID } from 'node:crypto';
import type { Binary, Collection } from 'mongodb';
import { pause } from '@receipts/concurrency';
import {
  retrySoon,
  ServiceError,
  unavailable,
  type Call,
  type Handler,
  type Input,
  type Log,
  type Reply,
  type RequestKey,
} from '@receipts/kernel';
import type { CollectionDeclaration } from '../collection';
import { databaseTimeout, deadlineSignal, isDuplicateKey, withStorageErrors } from '../faults';
import { isRepetition, keyKeptMs, requestKeyOf, type Contracted } from './request-key';

/** The record of one idempotency key. */
export interface IdempotencyRecord extends Pick<RequestKey, 'fingerprint' | 'at'> {
  /** `retailer|key`, see `requestKeyOf`. */
  readonly _id: string;
  /** The call id of the first request, with which the request is executed again. */
  readonly callId: string;
  readonly state: 'running' | 'done';
  /** Identifies the execution that holds the record. */
  readonly run: string;
  /** An execution that is still running after this time is considered crashed. */
  readonly leaseUntil: Date;
  readonly body?: Buffer | Binary;
  /** JSON */
  readonly meta?: string;
  /** The id and the identifier in the reply, by which it is found when a receipt or a consumer is erased. */
  readonly about?: readonly string[];
}

export const idempotencyCollection: CollectionDeclaration = {
  name: 'idempotency',
  indexes: [
    { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keyKeptMs / 1_000 },
    { name: 'about', key: { about: 1 }, partial: { about: { $exists: true } } },
  ],
};

/**
 * Deletes the stored replies about these receipts and identifiers. A retry of such a request is executed again, and
 * finds what it created before.
 */
export async function forgetReplies(
  collection: Collection<IdempotencyRecord>,
  retailer: string,
  about: readonly string[],
): Promise<void> {
  const _id = { $gte: `${retailer}|`, $lt: `${retailer}}` };
  await collection.deleteMany({ _id, about: { $in: [...about] } }, { signal: databaseTimeout() });
}

export interface IdempotentOptions {
  readonly log?: Log;
  readonly now?: () => number;
  /** Members of the reply that are returned only once: they are not stored, and a retry gets `null` instead. */
  readonly secretFields?: readonly string[];
}

const leaseMs = 10_000;
const pollMs = 50;
/** From this status on, the outcome is unknown. */
const unknownFrom = 500;

const stillRunning = {
  description: 'a request with this idempotency key is still running, try again',
};

/**
 * Wraps the handler of a command. A retry with the same `Idempotency-Key` gets the first reply (`replayed`),
 * and a different request with the same key gets 409 `idempotency_mismatch`. Keys are scoped to one principal of one
 * retailer and to one contract, and are kept for 24 hours. Expected errors are not stored. If the first execution is
 * still running, a retry waits for it until its caller's deadline, and then gets 503. The request is executed again,
 * under the call id of the first request, once the lease of a crashed process has expired (10 s), or after a failure
 * with an unknown outcome or a provisional reply. A handler that creates its document under `call.id`, or writes
 * `call.id` together with its effect, recognizes the existing document and returns its reply.
 */
export function withIdempotencyKeys<C extends Contracted>(
  collection: Collection<IdempotencyRecord>,
  contract: C,
  handler: Handler<C>,
  options: IdempotentOptions = {},
): Handler<C> {
  const keyed = new KeyedHandler(collection, contract, handler, options);
  return (input, call) => withStorageErrors(() => keyed.handle(input, call));
}

class KeyedHandler<C extends Contracted> {
  private readonly now: () => number;

  constructor(
    private readonly collection: Collection<IdempotencyRecord>,
    private readonly contract: C,
    private readonly handler: Handler<C>,
    private readonly options: IdempotentOptions,
  ) {
    this.now = options.now ?? Date.now;
  }

  async handle(input: Input<C>, call: Call): Promise<Reply<C>> {
    if (call.idempotencyKey === undefined) return this.handler(input, call);
    const mine = this.recordOf(input, call);
    if (await this.claim(mine, call)) return this.execute(input, call, mine);
    for (;;) {
      const signal = deadlineSignal(call, this.now());
      const found = await this.collection.findOne({ _id: mine._id }, { signal });
      if (!found) {
        // The request that held the key was rejected, or the key has expired.
        if (await this.claim(mine, call)) return this.execute(input, call, mine);
      } else if (!isRepetition(mine, found)) {
        await this.collection.deleteOne({ _id: found._id, at: found.at }, { signal });
        continue;
      } else if (found.state === 'done') return replayOf(found, call);
      else if (found.leaseUntil.getTime() < this.now() && (await this.takeOver(found, mine)))
        return this.execute(input, { ...call, id: found.callId }, mine);
      if (this.now() + pollMs >= call.deadline) throw retrySoon(unavailable, stillRunning);
      await pause(pollMs);
    }
  }

  private recordOf(input: Input<C>, call: Call): IdempotencyRecord {
    const now = this.now();
    const { key, ...kept } = requestKeyOf(this.contract, input, call, new Date(now)) as RequestKey;
    return {
      _id: `${call.retailer}|${key}`,
      callId: call.id,
      ...kept,
      state: 'running',
      run: randomUUID(),
      leaseUntil: new Date(now + leaseMs),
    };
  }

  /** False if another request holds the key. */
  private async claim(mine: IdempotencyRecord, call: Call): Promise<boolean> {
    try {
      await this.collection.insertOne({ ...mine }, { signal: deadlineSignal(call, this.now()) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Takes over the record of an execution whose lease has expired; false if another request was faster. */
  private async takeOver(dead: IdempotencyRecord, mine: IdempotencyRecord): Promise<boolean> {
    const { run, leaseUntil, at } = mine;
    const result = await this.collection.updateOne(
      { _id: dead._id, state: 'running', run: dead.run },
      { $set: { run, leaseUntil, at } },
    );
    return result.modifiedCount === 1;
  }

  private async execute(input: Input<C>, call: Call, mine: IdempotencyRecord): Promise<Reply<C>> {
    let outcome: Reply<C> | ServiceError | undefined;
    try {
      outcome = await this.handler(input, call);
      return outcome;
    } catch (error) {
      if (error instanceof ServiceError) outcome = error;
      throw error;
    } finally {
      await this.settle(mine, outcome);
    }
  }

  /**
   * Stores a successful reply, and deletes the record of a rejected request. After a failure with an unknown outcome,
   * or a provisional reply, the record keeps its call id, so that a retry finds the document that was already created;
   * its lease ends immediately.
   */
  private async settle(
    { _id, run }: IdempotencyRecord,
    outcome: Reply<C> | ServiceError | undefined,
  ): Promise<void> {
    const isOpen = outcome === undefined || outcome instanceof ServiceError || outcome.provisional === true;
    try {
      if (outcome instanceof ServiceError && outcome.status < unknownFrom)
        await this.collection.deleteOne({ _id, run, state: 'running' });
      else {
        const change = isOpen ? { leaseUntil: new Date(0) } : this.storedReply(outcome);
        await this.collection.updateOne({ _id, run }, { $set: change });
      }
    } catch (error) {
      // The handler's outcome is final even if storing it fails. After the lease expires, a retry executes the request
      // again.
      this.options.log?.warn('could not settle an idempotency record', { error });
    }
  }

  private storedReply({ body, meta }: { readonly body?: unknown; readonly meta?: unknown }) {
    const bytes = bytesOf(body, this.options.secretFields);
    const about = aboutOf(body);
    return {
      state: 'done' as const,
      ...(bytes !== undefined && { body: bytes }),
      ...(meta !== undefined && { meta: JSON.stringify(meta) }),
      ...(about.length > 0 && { about }),
    };
  }
}

/** Replies about several receipts contain only their ids. */
function aboutOf(body: unknown): readonly string[] {
  const reply = Buffer.isBuffer(body) ? (JSON.parse(body.toString('utf8')) as unknown) : body;
  const { id, identifier } = (reply ?? {}) as { readonly id?: unknown; readonly identifier?: unknown };
  return [id, identifier].filter((name) => typeof name === 'string');
}

function bytesOf(body: unknown, secretFields: readonly string[] = []): Buffer | undefined {
  if (body === undefined) return undefined;
  if (secretFields.length === 0) return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const answer = (Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : body) as object;
  const withheld = Object.fromEntries(
    secretFields.filter((name) => name in answer).map((name) => [name, null]),
  );
  return Buffer.from(JSON.stringify({ ...answer, ...withheld }));
}

/** The stored reply. If the ids are the same, the broker has redelivered the message; this is not a retry by the caller. */
function replayOf<C extends Contracted>({ callId, body, meta }: IdempotencyRecord, call: Call): Reply<C> {
  const bytes = body && !Buffer.isBuffer(body) ? Buffer.from(body.buffer) : body;
  return {
    ...(bytes !== undefined && { body: bytes }),
    ...(meta !== undefined && { meta: JSON.parse(meta) as unknown }),
    replayed: callId !== call.id,
  } as unknown as Reply<C>;
}
