import { localDate } from '@receipts/contracts';
import type { SignedIn } from './signed-in';

interface Dates {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The query of a report with its dates: today in the retailer's time zone, unless the form has others. */
export function withDates<Q extends Dates>(query: Q, { retailer }: Pick<SignedIn, 'retailer'>, now: Date) {
  const today = localDate(now, retailer.settings.timezone);
  return { ...query, from: query.from || today, to: query.to || today };
}
