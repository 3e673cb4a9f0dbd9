import type { Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';
import type { Database, Lease } from '@receipts/storage';
import type { StoredReceipt } from '../../storage/receipt-document';
import type { Receipts } from '../../storage/receipts';
import { Sales } from './sales';
import { Totals } from './totals';
import { TotalsBuckets } from './totals-buckets';
import { TotalsChanges } from './totals-changes';
import {
  totalsChangesCollection,
  totalsCollection,
  type TotalsChange,
  type TotalsDocument,
} from './totals-documents';
import { TotalsRebuild } from './totals-rebuild';
import { TotalsSchedule } from './totals-schedule';
import { TotalsTills } from './totals-tills';

export interface TotalsDependencies {
  readonly database: Database;
  readonly collection: Collection<StoredReceipt>;
  readonly receipts: Pick<Receipts, 'lastNumber'>;
  readonly lease: Lease;
  readonly log: Log;
}

/** Opens the collections of the totals. */
export async function openTotals({ database, collection: stored, receipts, lease, log }: TotalsDependencies) {
  const collection = await database.collection<TotalsDocument>(totalsCollection);
  const changes = new TotalsChanges(stored, await database.collection<TotalsChange>(totalsChangesCollection));
  const buckets = new TotalsBuckets(collection, stored);
  const tills = new TotalsTills(collection);
  const sales = new Sales(stored);
  const totals = new Totals({ collection, buckets, tills, changes, sales, receipts });
  return {
    totals,
    schedule: new TotalsSchedule(totals, sales, log),
    rebuild: new TotalsRebuild({ collection, buckets, totals, lease, log }),
  };
}
