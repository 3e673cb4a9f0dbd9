import { offsetMinutesAt } from '@receipts/contracts';
import { invalidParameter, ServiceError } from '@receipts/kernel';
import type { SignedIn } from './signed-in';

/** The search form. Empty strings are ignored. */
export interface Criteria {
  readonly customer?: string | undefined;
  readonly transaction?: string | undefined;
  readonly store?: string | undefined;
  readonly item?: string | undefined;
  /** The total, with a point or a comma. */
  readonly amount?: string | undefined;
  /** The last four digits. */
  readonly card?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly query?: string | undefined;
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, (character) => `\\${character}`)}"`;

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const minuteMs = 60_000;
const dayMs = 86_400_000;

export const amountPattern = '-?\\d{1,12}([.,]\\d{1,4})?';
export const cardPattern = '\\d{4}';
const amountWhole = new RegExp(`^${amountPattern}$`);
const cardWhole = new RegExp(`^${cardPattern}$`);

/** @throws ServiceError 400 for text that does not match the pattern */
function expectMatch(text: string, pattern: RegExp, description: string): void {
  if (text !== '' && !pattern.test(text)) throw new ServiceError({ ...invalidParameter, description });
}

/** When a day begins in the retailer's time zone. */
function dayStart(midnight: number, timeZone: string): number {
  const guess = midnight - offsetMinutesAt(timeZone, midnight) * minuteMs;
  return midnight - offsetMinutesAt(timeZone, guess) * minuteMs;
}

function instantOf(date: string | undefined, timeZone: string, daysLater = 0): string | undefined {
  if (date === undefined || !datePattern.test(date)) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  return new Date(dayStart(midnight + daysLater * dayMs, timeZone)).toISOString();
}

export interface Searcher {
  readonly retailer: { readonly settings: Pick<SignedIn['retailer']['settings'], 'timezone'> };
  readonly language: SignedIn['language'];
}

/**
 * Converts the form to a query in the search language; undefined if it is empty.
 * @throws ServiceError 400 for an invalid amount or card number
 * @param customerField the field in which to search for the customer; an address may be known only from the receipt
 */
export function searchQuery(
  criteria: Criteria,
  { retailer, language: { t, number } }: Searcher,
  customerField: 'identifier.exact' | 'properties.email.exact',
): string | undefined {
  const said = (name: keyof Criteria) => criteria[name]?.trim() ?? '';
  if (said('query') !== '') return said('query');
  const store = said('store');
  const amount = said('amount');
  const card = said('card');
  expectMatch(amount, amountWhole, t('find.amountFault', { example: number(12.34) }));
  expectMatch(card, cardWhole, t('find.cardFault'));
  const { timezone } = retailer.settings;
  const from = instantOf(said('from'), timezone);
  const until = instantOf(said('to'), timezone, 1);
  const conditions = [
    said('customer') !== '' && `+${customerField}:${quoted(said('customer'))}`,
    said('transaction') !== '' && `+transaction_id:${quoted(said('transaction'))}`,
    /^\d{1,15}$/.test(store) && `+store_reference:${Number(store)}`,
    store !== '' && !/^\d{1,15}$/.test(store) && `+external_store_reference:${quoted(store)}`,
    amount !== '' && `+total:${amount.replace(',', '.')}`,
    card !== '' && `+payments.number:${quoted(card)}`,
    said('item') !== '' && `+items.name:${quoted(said('item'))}`,
    (from !== undefined || until !== undefined) && `+timestamp:[${from ?? '*'} TO ${until ?? '*'}}`,
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? undefined : conditions.join(' ');
}
