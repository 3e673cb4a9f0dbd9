import type { CheckCode, Retailer, ReturnedReceipt, StoreRecord } from '@receipts/contracts';
import { globMatches } from '@receipts/contracts';
import { ServiceError, type EventRecord } from '@receipts/kernel';
import { evaluate, parseQuery, receiptFields, type SearchableRecord } from '@receipts/search-language';
import type { EndpointRecord } from './endpoint';

/** A receipt, with its failed checks if they are known. */
export type FilteredReceipt = ReturnedReceipt & {
  readonly checks?: readonly { readonly code: CheckCode }[] | undefined;
};

/** The data that a filter is evaluated on. */
export interface FilterFacts {
  readonly settings: Pick<Retailer['settings'], 'dynamic_fields' | 'search_default_operator'>;
  /** The receipt of an event, even if the event does not contain it; undefined if it no longer exists. */
  readonly receipt: FilteredReceipt | undefined;
  /** The store of the receipt, if known. */
  readonly store: Pick<StoreRecord, 'id' | 'reference' | 'external_reference'> | null;
}

const receiptPrefix = 'receipt.';
const deleted = 'receipt.deleted';

/** Whether an event is about a receipt, so that filters apply. */
export function isFiltered(type: string): boolean {
  return type.startsWith(receiptPrefix) && type !== deleted;
}

export function matchesType({ settings }: Pick<EndpointRecord, 'settings'>, type: string): boolean {
  return settings.event_types.some((glob) => globMatches(glob, type));
}

/** @throws ServiceError 400 `invalid_query` */
export function matchesFilter(filter: string, event: Pick<EventRecord, 'data'>, facts: FilterFacts): boolean {
  const { settings, receipt, store } = facts;
  const record: SearchableRecord = {
    ...(receipt ?? (event.data as SearchableRecord)),
    ...(receipt?.checks && { checks: receipt.checks.map(({ code }) => code) }),
    ...(store && {
      store_id: store.id,
      store_reference: store.reference,
      external_store_reference: store.external_reference,
    }),
  };
  const fields = receiptFields(settings.dynamic_fields);
  return evaluate(parseQuery(filter), fields, record, { operator: settings.search_default_operator }).matches;
}

type DynamicFields = Pick<FilterFacts['settings'], 'dynamic_fields'>;

/** @throws ServiceError 400 `invalid_query` for a query that cannot be evaluated on a receipt. */
export function checkFilter(filter: string, { dynamic_fields }: DynamicFields): void {
  const settings = { dynamic_fields, search_default_operator: 'or' } as const;
  matchesFilter(filter, { data: {} }, { settings, receipt: undefined, store: null });
}

/** Whether a stored filter can be evaluated with these settings. An endpoint without a filter has a valid one. */
export function isValidFilter(filter: string | null, settings: DynamicFields): boolean {
  try {
    if (filter !== null) checkFilter(filter, settings);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
