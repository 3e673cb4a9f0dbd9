import type { Identifier, IdentifierSummary } from '@receipts/contracts';

/** An identifier as this service knows it. Free properties are kept as JSON text: any key survives any database. */
export interface IdentifierRecord {
  readonly identifier: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly sourceUpdatedAt: Date | null;
  readonly properties: string;
}

/** What the receipts of one identifier come to; undefined before the first. */
export interface Totals {
  readonly receipts: number;
  readonly total: number;
  readonly currency: string;
  readonly first: string;
  readonly last: string;
}

/** Times of answers end in `+00:00`, never in `Z`. */
export function timestampOf(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

const centsFactor = 100;

function summaryOf(totals: Totals | undefined): IdentifierSummary {
  if (!totals) return {};
  return {
    receipts: totals.receipts,
    // Sums of binary fractions drift; an amount of money has no more than two digits worth showing here.
    total: Math.round(totals.total * centsFactor) / centsFactor,
    currency: totals.currency,
    first_receipt_timestamp: totals.first,
    last_receipt_timestamp: totals.last,
  };
}

/** The identifier in the interface's form. */
export function identifierOf(record: IdentifierRecord, totals: Totals | undefined): Identifier {
  return {
    identifier: record.identifier,
    created_timestamp: timestampOf(record.createdAt),
    updated_timestamp: timestampOf(record.updatedAt),
    source_updated_timestamp: record.sourceUpdatedAt && timestampOf(record.sourceUpdatedAt),
    summary: summaryOf(totals),
    properties: JSON.parse(record.properties) as Record<string, unknown>,
  };
}
