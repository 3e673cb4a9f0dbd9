/** What a provider says of a message, and what is known of its delivery so far. */
export interface ReportedState {
  readonly status: string;
  readonly reason: string | null;
  readonly deliveredAt?: Date | undefined;
}

export interface ReportChange {
  readonly status: 'sent' | 'failed';
  readonly reason: string | null;
  readonly deliveredAt?: Date;
  /** What has to be told, if anything. */
  readonly event?: 'deliverySent' | 'deliveryFailed';
}

/**
 * What a report changes; undefined when it is no news. Reports come late, twice and in any order: nothing that has arrived
 * fails afterwards. A report on a delivery that is still pending, or of which nobody knew what became of it, settles an
 * attempt whose answer never came.
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
