import type { NotedAction } from '@receipts/contracts';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface OperatorActionDocument extends Omit<NotedAction, 'id' | 'at'> {
  /** The id of the call; ids increase with time. */
  readonly _id: string;
  readonly at: Date;
}

const yearSeconds = 366 * 24 * 60 * 60;

export const operatorActionsDeclaration: CollectionDeclaration = {
  name: 'operator_actions',
  indexes: [
    { name: 'by_retailer', key: { retailer: 1, _id: -1 } },
    { name: 'expiry', key: { at: 1 }, expireAfterSeconds: yearSeconds },
  ],
};

/** The audit log of the operator's actions. Entries cannot be changed; they are deleted when they are old. */
export class OperatorActions {
  constructor(private readonly collection: Collection<OperatorActionDocument>) {}

  /** The start and the end of an action may arrive in any order, and repeatedly. */
  async note({ id, at, ...facts }: NotedAction, signal: AbortSignal): Promise<void> {
    await this.collection.updateOne(
      { _id: id },
      { $set: { ...facts, at: new Date(at) } },
      { upsert: true, signal },
    );
  }

  async has(id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.collection.findOne({ _id: id }, { signal })) !== null;
  }

  /** Newest first; only entries before `older`. */
  page(
    retailer: string | undefined,
    older: string | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<OperatorActionDocument[]> {
    const filter = {
      ...(retailer !== undefined && { retailer }),
      ...(older !== undefined && { _id: { $lt: older } }),
    };
    return this.collection.find(filter, { signal }).sort({ _id: -1 }).limit(count).toArray();
  }
}
