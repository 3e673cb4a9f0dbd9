import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Binary, Collection } from 'mongodb';
import {
  ServiceError,
  type ContractShape,
  type Item,
  type Log,
  type Reply,
  type RequestKey,
} from '@receipts/kernel';
import type { CollectionDeclaration } from './collection';
import { deadlineSignal, duplicatesIn } from './faults';
import { keyKeptMs, requestKeyOf, type Contracted } from './request-key';

/** The record of one idempotency key. */
export interface IdempotencyRecord {
  /** `retailer|key`, see `requestKeyOf`. */
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

export interface Claimed<C extends ContractShape> {
  readonly item: Item<C>;
  readonly record: IdempotencyRecord;
}

export type Outcome<C extends ContractShape> = Reply<C> | ServiceError;

export class IdempotencyRecords<C extends Contracted> {
  readonly now: () => number;

  constructor(
    private readonly collection: Collection<IdempotencyRecord>,
    private readonly contract: C,
    private readonly options: IdempotentOptions,
  ) {
    this.now = options.now ?? Date.now;
  }

  recordOf({ call, input }: Item<C>): IdempotencyRecord {
    const now = this.now();
    const { key, fingerprint } = requestKeyOf(this.contract, input, call, new Date(now)) as RequestKey;
    return {
      _id: `${call.retailer}|${key}`,
      callId: call.id,
      fingerprint,
      state: 'running',
      run: randomUUID(),
      leaseUntil: new Date(now + leaseMs),
      expiresAt: new Date(now + keyKeptMs),
    };
  }

  /** Claims keys, and returns those that were already claimed. */
  async claim(claims: readonly Claimed<C>[]): Promise<ReadonlySet<Claimed<C>>> {
    const records = claims.map(({ record }) => ({ ...record }));
    const options = { ordered: false, signal: this.budgetOf(claims) };
    const taken = await duplicatesIn(() => this.collection.insertMany(records, options));
    return new Set(claims.filter((_claim, i) => taken.has(i)));
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
  itemOf({ item }: Claimed<C>, { callId: id }: IdempotencyRecord): Item<C> {
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
    const operations = claims.map(({ record }, i) => this.settlementOf(record, outcomes[i]));
    try {
      await this.collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      // The handler's outcome stands even if storing it fails. After the lease expires, a repetition executes again.
      const { name } = error as Error;
      this.options.log?.warn('could not settle idempotency records', { count: claims.length, error: name });
    }
  }

  private settlementOf(
    { _id, run }: IdempotencyRecord,
    outcome: Outcome<C> | undefined,
  ): AnyBulkWriteOperation<IdempotencyRecord> {
    if (outcome instanceof ServiceError && outcome.status < unknownFrom) {
      return { deleteOne: { filter: { _id, run, state: 'running' } } };
    }
    if (outcome === undefined || outcome instanceof ServiceError) {
      return { updateOne: { filter: { _id, run }, update: { $set: { leaseUntil: new Date(0) } } } };
    }
    const { body, meta } = outcome as { body?: unknown; meta?: unknown };
    const bytes = bytesOf(body, this.options.secretFields);
    const reply = {
      state: 'done' as const,
      ...(bytes !== undefined && { body: bytes }),
      ...(meta !== undefined && { meta: JSON.stringify(meta) }),
    };
    return { updateOne: { filter: { _id, run }, update: { $set: reply } } };
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
