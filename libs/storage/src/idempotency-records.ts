import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Binary, Collection } from 'mongodb';
import { ServiceError, type ContractShape, type Item, type Reply, type Log } from '@receipts/kernel';
import { fingerprint } from './canonical-json';
import type { CollectionDeclaration } from './collection';
import { deadlineSignal, isDuplicateKey, writeErrorsByIndex } from './faults';

/** The record of one idempotency key. */
export interface IdempotencyRecord {
  /** `retailer|principal|contract|key`: the same key of another principal is a different key. */
  readonly _id: string;
  /** The call id of the first request, under which the request is executed again. */
  readonly callId: string;
  readonly fingerprint: string;
  readonly state: 'running' | 'done';
  /** Identifies the execution that holds the record. */
  readonly run: string;
  /** An execution that is still running after this time is considered dead. */
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
  readonly body?: Buffer | Binary;
  /** JSON */
  readonly meta?: string;
}

/** For this long a repetition gets the first reply again. */
export const keyKeptMs = 24 * 60 * 60_000;
const leaseMs = 10_000;
/** From this status on the outcome is unknown. */
const unknownFrom = 500;

export const idempotencyCollection: CollectionDeclaration = {
  name: 'idempotency',
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

export interface IdempotentOptions {
  readonly log?: Log;
  readonly now?: () => number;
  /** Members of the reply that are returned only once: they are not stored, and a repetition gets `null` instead. */
  readonly secretFields?: readonly string[];
}

export type Contracted = ContractShape & { readonly name: string };

/** False for a contract whose body is raw bytes. */
export function bodyIsJson({ body }: ContractShape): boolean {
  return body === undefined || !('kind' in body) || body.kind !== 'bytes';
}

export interface Claimed<C extends ContractShape> {
  readonly item: Item<C>;
  readonly record: IdempotencyRecord;
}

export type Outcome<C extends ContractShape> = Reply<C> | ServiceError;

export class IdempotencyRecords<C extends Contracted> {
  readonly now: () => number;
  private readonly isJson: boolean;

  constructor(
    private readonly collection: Collection<IdempotencyRecord>,
    private readonly contract: C,
    private readonly options: IdempotentOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.isJson = bodyIsJson(contract);
  }

  recordOf(item: Item<C>): IdempotencyRecord {
    const now = this.now();
    const { id, retailer, principal, idempotencyKey } = item.call;
    return {
      _id: `${retailer}|${principal.kind}:${principal.id}|${this.contract.name}|${idempotencyKey}`,
      callId: id,
      fingerprint: fingerprint(item.input, this.isJson),
      state: 'running',
      run: randomUUID(),
      leaseUntil: new Date(now + leaseMs),
      expiresAt: new Date(now + keyKeptMs),
    };
  }

  /** Claims keys, and returns those that were already claimed. */
  async claim(claims: readonly Claimed<C>[]): Promise<ReadonlySet<Claimed<C>>> {
    try {
      await this.collection.insertMany(
        claims.map(({ record }) => ({ ...record })),
        { ordered: false, signal: this.budgetOf(claims) },
      );
      return new Set();
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
      return new Set(claims.filter((_claim, i) => faults.has(i)));
    }
  }

  /** Reads the records of keys that were already claimed. */
  async find(claims: readonly Claimed<C>[]): Promise<Map<string, IdempotencyRecord>> {
    const ids = claims.map(({ record }) => record._id);
    const signal = this.budgetOf(claims);
    const found = await this.collection.find({ _id: { $in: ids } }, { signal }).toArray();
    return new Map(found.map((record) => [record._id, record]));
  }

  private budgetOf(claims: readonly Claimed<C>[]): AbortSignal {
    return deadlineSignal(
      claims.map(({ item }) => item.call),
      this.now(),
    );
  }

  /** The item with the call id of the first request with this key, under which it is executed. */
  itemOf({ item, record }: Claimed<C>, found: IdempotencyRecord | undefined): Item<C> {
    const id = found?.callId ?? record.callId ?? item.call.id;
    return id === item.call.id ? item : { ...item, call: { ...item.call, id } };
  }

  /** Takes over the record of an execution whose lease has expired; false when another request was faster. */
  async takeOver(dead: IdempotencyRecord, mine: IdempotencyRecord): Promise<boolean> {
    const { run, leaseUntil, expiresAt } = mine;
    const result = await this.collection.updateOne(
      { _id: dead._id, state: 'running', run: dead.run },
      { $set: { run, leaseUntil, expiresAt } },
    );
    return result.modifiedCount === 1;
  }

  /**
   * Stores successful replies and deletes the records of refused requests. After a failure with an unknown outcome
   * the record keeps its call id, so that a repetition finds what was already created; its lease ends at once.
   */
  async settle(claims: readonly Claimed<C>[], outcomes: readonly (Outcome<C> | undefined)[]): Promise<void> {
    const failed: IdempotencyRecord[] = [];
    const updates = claims.flatMap(({ record }, i): AnyBulkWriteOperation<IdempotencyRecord>[] => {
      const outcome = outcomes[i];
      const filter = { _id: record._id, run: record.run };
      if (outcome instanceof ServiceError && outcome.status < unknownFrom) {
        failed.push(record);
        return [];
      }
      if (outcome === undefined || outcome instanceof ServiceError) {
        return [{ updateOne: { filter, update: { $set: { leaseUntil: new Date(0) } } } }];
      }
      const { body, meta } = outcome as { body?: unknown; meta?: unknown };
      const bytes = bytesOf(body, this.options.secretFields);
      const kept = {
        state: 'done' as const,
        ...(bytes !== undefined && { body: bytes }),
        ...(meta !== undefined && { meta: JSON.stringify(meta) }),
      };
      return [{ updateOne: { filter, update: { $set: kept } } }];
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
      // The handler's outcome stands even if storing it fails. After the lease expires, a repetition executes again.
      if (result.status === 'rejected') {
        const { name } = result.reason as Error;
        this.options.log?.warn('could not settle idempotency records', { count: claims.length, error: name });
      }
    }
  }
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

/** The stored reply. */
export function replayOf<C extends ContractShape>({ body, meta }: IdempotencyRecord): Reply<C> {
  const bytes = body && !Buffer.isBuffer(body) ? Buffer.from(body.buffer) : body;
  return {
    ...(bytes !== undefined && { body: bytes }),
    ...(meta !== undefined && { meta: JSON.parse(meta) as unknown }),
    replayed: true,
  } as unknown as Reply<C>;
}
