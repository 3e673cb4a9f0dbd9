import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from './faults';

export interface LeaseDocument {
  readonly _id: string;
  readonly owner: string;
  readonly until: Date;
}

export const leaseCollection = { name: 'leases', indexes: [] } as const;

export interface Lease {
  /** Takes or extends the lease; false while another process holds it. */
  acquire(): Promise<boolean>;
  /** Lets go, so that another process need not wait. */
  release(): Promise<void>;
}

/**
 * A claim of one process on a task that should not be done twice at a time. Clocks that differ can let two hold it for a
 * moment, so the task itself must bear that.
 */
export function lease(
  collection: Collection<LeaseDocument>,
  name: string,
  durationMs: number,
  now: () => number = Date.now,
): Lease {
  const owner = randomUUID();
  return {
    async acquire() {
      const at = now();
      try {
        const held = await collection.findOneAndUpdate(
          { _id: name, $or: [{ owner }, { until: { $lt: new Date(at) } }] },
          { $set: { owner, until: new Date(at + durationMs) } },
          { upsert: true, returnDocument: 'after' },
        );
        return held?.owner === owner;
      } catch (error) {
        // The lease exists and is held: the upsert ran into its _id.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await collection.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });
    },
  };
}
