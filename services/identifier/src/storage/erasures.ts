import type { SerializedEvent } from '@receipts/kernel';
import {
  claimRoundRobin,
  dueRoundRobinIndex,
  isDuplicateKey,
  outboxIndex,
  outboxItem,
  type CollectionDeclaration,
  type OutboxItem,
  type ClaimOrder,
} from '@receipts/storage';
import type { Collection } from 'mongodb';
import { personHash } from '@receipts/contracts';

export interface ErasureDocument {
  /** `retailer|hash of the identifier` */
  readonly _id: string;
  readonly retailer: string;
  /** The identifier to be erased; removed once it has been erased. */
  readonly identifier?: string;
  readonly status: 'pending' | 'done';
  /** Present while pending: the time of the next attempt, or the end of the current claim. */
  readonly dueAt?: Date;
  readonly attempts: number;
  /**
   * The receipts that are being erased. Their deliveries are erased afterwards, when the receipts no longer contain the
   * consumer.
   */
  readonly receipts?: readonly string[];
  readonly requestId: string;
  readonly traceparent?: string;
  /** The number of times the identifier was erased. */
  readonly version: number;
  readonly outbox?: readonly OutboxItem[];
}

export type PendingErasure = ErasureDocument & { readonly identifier: string };

export const erasuresDeclaration: CollectionDeclaration = {
  name: 'erasures',
  indexes: [dueRoundRobinIndex, outboxIndex],
};

/** After this time the claim of a crashed process is released. A working process extends it regularly. */
const claimMs = 15_000;

const keyOf = (retailer: string, identifier: string): string => `${retailer}|${personHash(identifier)}`;
const owned = ({ _id, attempts }: ErasureDocument) => ({ _id, attempts, status: 'pending' as const });
const claimedFrom = (now: Date) => new Date(now.getTime() + claimMs);

/** The pending erasures, and a record of finished erasures. */
export class Erasures {
  constructor(private readonly collection: Collection<ErasureDocument>) {}

  find(retailer: string, identifier: string, signal: AbortSignal): Promise<ErasureDocument | null> {
    return this.collection.findOne({ _id: keyOf(retailer, identifier) }, { signal });
  }

  /** A pending erasure is not changed. */
  async request(
    facts: Pick<PendingErasure, 'retailer' | 'identifier' | 'requestId' | 'traceparent'>,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const _id = keyOf(facts.retailer, facts.identifier);
    try {
      await this.collection.updateOne(
        { _id, status: { $ne: 'pending' } },
        { $set: { ...facts, status: 'pending', dueAt: now, attempts: 0 }, $setOnInsert: { version: 0 } },
        { upsert: true, signal },
      );
    } catch (error) {
      // A pending erasure exists: the upsert conflicted with its _id.
      if (!isDuplicateKey(error, '_id_')) throw error;
    }
  }

  /** Claims an erasure that is due, so that no other process works on it. */
  async claimDue(order: ClaimOrder, now: Date, signal: AbortSignal): Promise<PendingErasure | null> {
    const update = { $set: { dueAt: claimedFrom(now) }, $inc: { attempts: 1 } };
    return claimRoundRobin(this.collection, order, { now, update, signal }) as Promise<PendingErasure | null>;
  }

  /** @returns false if the claim has expired and another process has taken over */
  async extend(
    erasure: ErasureDocument,
    facts: Pick<ErasureDocument, 'receipts'>,
    now: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
    const set = { $set: { ...facts, dueAt: claimedFrom(now) } };
    return (await this.collection.updateOne(owned(erasure), set, { signal })).matchedCount === 1;
  }

  async postpone(erasure: ErasureDocument, dueAt: Date, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(owned(erasure), { $set: { dueAt } }, { signal });
  }

  /** Undefined if the claim has expired and another process has taken over. */
  async finish(
    erasure: ErasureDocument,
    event: SerializedEvent,
    signal: AbortSignal,
  ): Promise<OutboxItem | undefined> {
    const item = outboxItem(event);
    const { matchedCount } = await this.collection.updateOne(
      owned(erasure),
      {
        $set: { status: 'done' },
        $unset: { dueAt: '', identifier: '', receipts: '' },
        $inc: { version: 1 },
        $push: { outbox: item } as never,
      },
      { signal },
    );
    return matchedCount === 1 ? item : undefined;
  }

  /** Those of the identifiers that were erased, or are being erased. */
  async erasedAmong(
    retailer: string,
    identifiers: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const byKey = new Map(identifiers.map((identifier) => [keyOf(retailer, identifier), identifier]));
    const found = await this.collection
      .find({ _id: { $in: [...byKey.keys()] } }, { projection: { _id: 1 }, signal })
      .toArray();
    return found.flatMap(({ _id }) => byKey.get(_id) ?? []);
  }
}
