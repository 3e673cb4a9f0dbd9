import { offsetMinutesAt } from '@receipts/contracts';
import { invalidParameter, ServiceError } from '@receipts/kernel';
import type { SignedIn } from '../signed-in';

/** The marks by which receipts can be filtered, each with the query that finds them. */
export const markQueries = {
  voided: 'voided:*',
  return: 'items.return:* OR items.quantity.decimal:[* TO 0}',
  // The suffix that a duplicate's number gets when it is stored.
  duplicate: 'transaction_id:duplicate',
  check: 'checks:*',
} as const;

/** Marks that only delivery knows, so that no query finds them. */
export const sendingMarks = ['sent', 'unsent', 'notDelivered'] as const;
export type SendingMark = (typeof sendingMarks)[number];

export type MarkFilter = keyof typeof markQueries | SendingMark;

export const sendingMark = (mark: string | undefined): SendingMark | undefined =>
  sendingMarks.find((known) => known === mark);

/** The filters beside the search box. Empty strings are ignored. */
export interface Filters {
  readonly store?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly mark?: MarkFilter | 'any' | undefined;
  /** The total, with a point or a comma. */
  readonly least?: string | undefined;
  readonly most?: string | undefined;
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const minuteMs = 60_000;
const dayMs = 86_400_000;

export const amountPattern = '-?\\d{1,12}([.,]\\d{1,4})?';
const amountWhole = new RegExp(`^${amountPattern}$`);

/** A phrase of the search language. */
export const quoted = (text: string) => `"${text.replace(/[\\"]/g, (character) => `\\${character}`)}"`;

/** When a day begins in the retailer's time zone. */
function dayStart(midnight: number, timeZone: string): number {
  const guess = midnight - offsetMinutesAt(timeZone, midnight) * minuteMs;
  return midnight - offsetMinutesAt(timeZone, guess) * minuteMs;
}

function instantOf(date: string, timeZone: string, daysLater = 0): string | undefined {
  if (!datePattern.test(date)) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  return new Date(dayStart(midnight + daysLater * dayMs, timeZone)).toISOString();
}

/** The receipts of these days in the retailer's time zone; undefined without a valid day. */
export function daysQuery(from: string, to: string, timeZone: string): string | undefined {
  const first = instantOf(from, timeZone);
  const end = instantOf(to, timeZone, 1);
  return first === undefined && end === undefined
    ? undefined
    : `timestamp:[${first ?? '*'} TO ${end ?? '*'}}`;
}

/** A number is a store's reference, any other text its external reference. */
export const storeQuery = (reference: string) =>
  /^\d{1,15}$/.test(reference)
    ? `store_reference:${Number(reference)}`
    : `external_store_reference:${quoted(reference)}`;

export interface Searcher {
  readonly retailer: { readonly settings: Pick<SignedIn['retailer']['settings'], 'timezone'> };
  readonly language: Pick<SignedIn['language'], 't' | 'number'>;
}

/**
 * Converts the filters to queries, each of which a receipt must match.
 * @throws ServiceError 400 for an invalid amount
 */
export function filterQueries(
  { store = '', from = '', to = '', mark, least = '', most = '' }: Filters,
  { retailer, language: { t, number } }: Searcher,
): readonly string[] {
  const amounts = [least, most].map((amount) => amount.trim());
  for (const amount of amounts) {
    if (amount !== '' && !amountWhole.test(amount)) {
      const description = t('find.amountFault', { example: number(12.34) });
      throw new ServiceError({ ...invalidParameter, description });
    }
  }
  const [low, high] = amounts.map((amount) => amount.replace(',', '.') || '*');
  const days = daysQuery(from.trim(), to.trim(), retailer.settings.timezone);
  return [
    ...(store.trim() === '' ? [] : [storeQuery(store.trim())]),
    ...(days === undefined ? [] : [days]),
    ...(low === '*' && high === '*' ? [] : [`total:[${low} TO ${high}]`]),
    ...(mark !== undefined && Object.hasOwn(markQueries, mark)
      ? [markQueries[mark as keyof typeof markQueries]]
      : []),
  ];
}
