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
  /** Acquires or renews the lease; false while another process holds it. */
  acquire(): Promise<boolean>;
  /** Gives up the lease immediately, so that another process need not wait until it expires. */
  release(): Promise<void>;
}

/**
 * A lease for a task that only one process should do at a time. If clocks differ, two processes can briefly hold it, so
 * the task must tolerate concurrent runs.
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
        // The lease is held by another process: the filter matched nothing, and the upsert violated the unique _id.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await collection.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });
    },
  };
}
