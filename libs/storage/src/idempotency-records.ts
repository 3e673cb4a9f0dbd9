import { randomUUID } from 'node:crypto';
import type { Binary, Collection } from 'mongodb';
import { ServiceError, type ContractShape, type Item, type Reply } from '@receipts/kernel';
import { fingerprint } from './canonical-json';
import type { CollectionDeclaration } from './collection';
import { deadlineSignal, isDuplicateKey, writeErrorsByIndex } from './faults';
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

export const idempotencyCollection: CollectionDeclaration = {
  name: 'idempotency',
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

export interface IdempotentOptions {
  readonly log?: Log;
  readonly now?: () => number;
}

export type Contracted = ContractShape & { readonly name: string };

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
        { ordered: false, signal: this.budgetOf(claims) },
      );
      return new Set();
    } catch (error) {
      const faults = writeErrorsByIndex(error);
      if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
      return new Set(claims.filter((_claim, i) => faults.has(i)));
    }
  }

  /** The records of keys that were claimed before. */
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

/** The remembered answer. */
export function replayOf<C extends ContractShape>({ body, meta }: IdempotencyRecord): Reply<C> {
  const bytes = body && !Buffer.isBuffer(body) ? Buffer.from(body.buffer) : body;
  return {
    ...(bytes !== undefined && { body: bytes }),
    ...(meta !== undefined && { meta: JSON.parse(meta) as unknown }),
    replayed: true,
  } as unknown as Reply<C>;
}
