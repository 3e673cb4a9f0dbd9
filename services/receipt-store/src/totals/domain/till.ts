import { createHash } from 'node:crypto';
import type { TotalsBucket } from './sale';

/** A till, as its receipts name it. */
export type Till = Pick<TotalsBucket, 'storeKey' | 'store' | 'till'>;

/** A till that has sent receipts. */
export interface KnownTill extends Till {
  readonly id: string;
  /** When its last receipt arrived. */
  readonly receivedAt: Date;
  /** The time of its latest sale in sortable form, see `saleTime`; null if it has only sent duplicates. */
  readonly soldAt: string | null;
}

/** Identifies a till among those of its retailer. */
export function tillId({ storeKey, store, till }: Till): string {
  return createHash('sha256')
    .update(JSON.stringify([storeKey, store, till]))
    .digest('base64url')
    .slice(0, 22);
}
