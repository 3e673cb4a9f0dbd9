import { createHash } from 'node:crypto';
import type { ReturnedReceipt } from '@receipts/contracts';
import { decimalOf, negated, plus } from '@receipts/kernel';
import { readSums, Sums } from './sums';
import type { TillNumber } from './till-numbers';

/** The finest group of totals. A receipt always stays in its group, because none of these fields can be changed. */
export interface TotalsBucket {
  /** The date of `localtime`. */
  readonly day: string;
  /** See `storeKey`. */
  readonly storeKey: string;
  readonly store: string;
  readonly till: string | null;
  readonly currency: string;
}

/** The contribution of a receipt to the totals. */
export interface Sale {
  readonly bucket: TotalsBucket;
  /** The time of the sale in sortable form, see `saleTime`; null for a duplicate or a voided receipt. */
  readonly at: string | null;
  readonly sums: Sums;
  /** Absent for a receipt without a number of its till. */
  readonly tillNumber?: TillNumber;
}

/** Hashing costs more than the rest of a contribution, and consecutive receipts often come from the same till. */
const knownIds = new Map<string, string>();
const knownIdsMax = 10_000;

/** Identifies a bucket among those of its retailer. It begins with the day, so that index keys of one day are neighbours. */
export function bucketId({ day, storeKey, store, till, currency }: TotalsBucket): string {
  const key = JSON.stringify([day, storeKey, store, till, currency]);
  const known = knownIds.get(key);
  if (known !== undefined) return known;
  if (knownIds.size >= knownIdsMax) knownIds.clear();
  const id = `${day}${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
  knownIds.set(key, id);
  return id;
}

const secondsLength = 'YYYY-MM-DDThh:mm:ss'.length;
const offsetLength = '+00:00'.length;
const fractionLength = '.123456789'.length;

/** The time of a receipt, formatted so that it sorts by time, and `localtime` can be derived from it. */
function saleTime({ timestamp, localtime }: Pick<ReturnedReceipt, 'timestamp' | 'localtime'>): string {
  const fraction = timestamp.slice(secondsLength, -offsetLength) || '.';
  return `${timestamp.slice(0, secondsLength)}${fraction.padEnd(fractionLength, '0')} ${localtime}`;
}

export const localtimeOf = (at: string): string => at.slice(secondsLength + fractionLength + 1);

type Payment = ReturnedReceipt['payments'][number];

function paid({ amount, change, details }: Payment) {
  const given = change ?? details?.change;
  return given === undefined || given === null
    ? decimalOf(amount)
    : plus(decimalOf(amount), negated(decimalOf(given)));
}

function sumsOf(receipt: ReturnedReceipt): Sums {
  const sums = new Sums();
  sums.addCount('receipts', 1);
  sums.addAmount('total', decimalOf(receipt.total));
  if (receipt.net !== null) {
    sums.addCount('nets', 1);
    sums.addAmount('net', decimalOf(receipt.net));
  }
  for (const { amount } of receipt.discounts) sums.addAmount('discounts', decimalOf(amount));
  for (const { amount } of receipt.charges) sums.addAmount('charges', decimalOf(amount));
  for (const item of receipt.items) {
    for (const { amount } of item.discounts) sums.addAmount('discounts', decimalOf(amount));
    if (item.return === null && item.quantity >= 0) continue;
    sums.addCount('returnItems', 1);
    sums.addAmount('returnTotal', decimalOf(item.total));
  }
  sums.addCount('items', receipt.items.length);
  for (const { name, rate, amount } of receipt.taxes) {
    sums.taxes.add([name, rate], { count: 1, amount: decimalOf(amount) });
  }
  for (const payment of receipt.payments) {
    const currency = payment.currency ?? receipt.l10n.currency;
    // The sum of tips is in the currency of the receipts.
    if (payment.tip !== null && currency === receipt.l10n.currency) {
      sums.addAmount('tips', decimalOf(payment.tip));
    }
    sums.payments.add([payment.method, currency], { count: 1, amount: paid(payment) });
  }
  return sums;
}

function voidedSums({ total }: ReturnedReceipt): Sums {
  const sums = new Sums();
  sums.addCount('voids', 1);
  sums.addAmount('voidTotal', decimalOf(total));
  return sums;
}

function tillNumberOf({ till_sequence: number, timestamp }: ReturnedReceipt) {
  return number === null ? undefined : { tillNumber: { number, at: Date.parse(timestamp) } };
}

/** The contribution of a receipt. A duplicate adds nothing to the sums, but shows that its till is sending. */
export function saleOf(receipt: ReturnedReceipt, storeKey: string): Sale {
  const tillNumber = tillNumberOf(receipt);
  const bucket: TotalsBucket = {
    day: receipt.localtime.slice(0, 'YYYY-MM-DD'.length),
    storeKey,
    store: receipt.store_reference,
    till: receipt.till_uuid,
    currency: receipt.l10n.currency,
  };
  if (receipt.duplicate) return { bucket, at: null, sums: new Sums(), ...tillNumber };
  return receipt.voided
    ? { bucket, at: null, sums: voidedSums(receipt), ...tillNumber }
    : { bucket, at: saleTime(receipt), sums: sumsOf(receipt), ...tillNumber };
}

/** The key by which a receipt that counts is found: its bucket and its time. */
export interface SaleKey {
  readonly bucket: string;
  readonly at: string;
}

/** Undefined for a receipt that does not count. */
export function saleKeyOf(sale: Sale | undefined): SaleKey | undefined {
  return sale && sale.at !== null ? { bucket: bucketId(sale.bucket), at: sale.at } : undefined;
}

/** The same sale always has the same representation. */
export function printSale({ bucket, at, sums, tillNumber }: Sale): string {
  return JSON.stringify({ bucket, at, sums: sums.printed(), tillNumber });
}

export function readSale(text: string): Sale {
  const { sums, ...sale } = JSON.parse(text) as Omit<Sale, 'sums'> & { sums: ReturnType<Sums['printed']> };
  return { ...sale, sums: readSums(sums) };
}
