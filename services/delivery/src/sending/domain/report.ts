/** A provider's report about a message, and the known state of its delivery. */
export interface ReportedState {
  readonly status: string;
  readonly reason: string | null;
  readonly deliveredAt?: Date | undefined;
}

export interface ReportChange {
  readonly status: 'sent' | 'failed';
  readonly reason: string | null;
  readonly deliveredAt?: Date;
  /** The event to publish, if any. */
  readonly event?: 'deliverySent' | 'deliveryFailed';
}

/**
 * The change that a report causes; undefined if there is none. Reports may be late, repeated and out of order: a delivery
 * that has arrived never fails afterwards. A report settles a delivery that is pending or has an unknown outcome.
 */
export function changeBy(
  { status, reason, deliveredAt }: ReportedState,
  report: { readonly state: 'sent' | 'delivered' | 'failed'; readonly reason: string | null },
  now: Date,
): ReportChange | undefined {
  const isUnknown = status === 'failed' && reason === 'outcome_unknown';
  const isNew = status === 'pending' || isUnknown;
  if ((!isNew && status !== 'sent') || deliveredAt) return undefined;
  switch (report.state) {
    case 'failed':
      if (isUnknown) return undefined;
      return { status: 'failed', reason: report.reason, event: 'deliveryFailed' };
    case 'delivered':
      return { status: 'sent', reason: null, deliveredAt: now, ...(isNew && { event: 'deliverySent' }) };
    case 'sent':
      return isNew ? { status: 'sent', reason: null, event: 'deliverySent' } : undefined;
  }
}
