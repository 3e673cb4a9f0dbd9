import type { Identifier, IdentifierSummary } from '@receipts/contracts';
import { numberOf, readDecimal, timestampOf } from '@receipts/kernel';

/** An identifier. Its properties are stored as a JSON string, because MongoDB restricts the keys of objects. */
export interface IdentifierRecord {
  readonly identifier: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly sourceUpdatedAt: Date | null;
  readonly properties: string;
}

/** The totals of one identifier's receipts in one currency. Times are UTC strings, which sort by time. */
export interface Totals {
  readonly receipts: number;
  /** A decimal number with all its digits, because doubles cannot be added exactly. */
  readonly total: string;
  readonly currency: string;
  readonly first: string;
  readonly last: string;
}

/**
 * The summary of all receipts. Amounts in different currencies cannot be added: `total` is in the currency of the
 * latest receipt, and includes only receipts in that currency.
 */
export function summaryOf(totals: readonly Totals[]): IdentifierSummary {
  const [newest, ...others] = [...totals].sort((a, b) => (a.last < b.last ? 1 : -1));
  if (!newest) return {};
  const first = others.reduce((least, one) => (one.first < least ? one.first : least), newest.first);
  return {
    receipts: totals.reduce((sum, { receipts }) => sum + receipts, 0),
    total: numberOf(readDecimal(newest.total)),
    currency: newest.currency,
    first_receipt_timestamp: first,
    last_receipt_timestamp: newest.last,
  };
}

/** The identifier as the API returns it. */
export function identifierOf(record: IdentifierRecord, totals: readonly Totals[] = []): Identifier {
  return {
    identifier: record.identifier,
    created_timestamp: timestampOf(record.createdAt),
    updated_timestamp: timestampOf(record.updatedAt),
    source_updated_timestamp: record.sourceUpdatedAt && timestampOf(record.sourceUpdatedAt),
    summary: summaryOf(totals),
    properties: JSON.parse(record.properties) as Record<string, unknown>,
  };
}
