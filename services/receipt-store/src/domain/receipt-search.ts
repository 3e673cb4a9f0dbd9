import type { Retailer, ReturnedReceipt, StoreRecord } from '@receipts/contracts';
import { failedCheckCodes } from './checks';
import { runInTurns, type EventLoopBudget } from '@receipts/concurrency';
import {
  receiptFields,
  searchDocument,
  searchDocumentInSteps,
  searchedItemCost,
  type FieldCatalogue,
  type SearchableRecord,
  type SearchDocument,
} from '@receipts/search-language';

/** The fields of a store that search uses. */
export type SearchedStore = Pick<StoreRecord, 'id' | 'reference' | 'external_reference'>;

/**
 * The receipt's text, event and search document are stored in one document of at most 16 MiB, of which the first two
 * take at most half. Only receipts of a megabyte or more reach this limit; their last words are then not searchable.
 */
const searchBytesMax = 6 * 1024 * 1024;
/** The maximum ratio of search document to text: one character can decompose into 18. */
const growthMax = 60;

/** The searchable fields for each version of a retailer's settings. */
const catalogues = new WeakMap<Retailer['settings'], FieldCatalogue>();

/** The fields by which a retailer's receipts can be searched. */
export function searchFieldsOf({ settings }: Pick<Retailer, 'settings'>): FieldCatalogue {
  let fields = catalogues.get(settings);
  if (!fields) {
    fields = receiptFields(settings.dynamic_fields);
    catalogues.set(settings, fields);
  }
  return fields;
}

/**
 * A receipt for searching: as returned, with all names of its store, so that each name finds it, regardless of which
 * name was posted.
 * @param store undefined for an unknown store; then only the posted name is searchable
 */
export function searchableReceipt(
  receipt: ReturnedReceipt,
  store: SearchedStore | undefined,
): SearchableRecord {
  const checks = failedCheckCodes(receipt);
  if (!store) return { checks, ...receipt };
  const { id, reference, external_reference } = store;
  // The spread does not come first: V8 needs up to 1 µs for each property after a leading spread.
  return {
    checks,
    store_id: id,
    external_store_reference: external_reference,
    ...receipt,
    store_reference: reference,
  };
}

/** The search document of a receipt. The document is recomputed whenever the receipt changes. */
export function searchOf(
  retailer: Pick<Retailer, 'settings'>,
  receipt: ReturnedReceipt,
  store: SearchedStore | undefined,
  textLength: number,
): SearchDocument {
  return bounded(searchDocument(searchFieldsOf(retailer), searchableReceipt(receipt, store)), textLength);
}

/** The cost of processing all items of a receipt once, in the unit of `searchDocumentInSteps`: about 0.1 µs. */
export const itemsCost = ({ items }: { readonly items: readonly unknown[] }) =>
  items.length * searchedItemCost;

/** Like `searchOf`, spread over several turns of the event loop if the receipt is long. */
export async function searchInTurns(
  retailer: Pick<Retailer, 'settings'>,
  receipt: ReturnedReceipt,
  store: SearchedStore | undefined,
  { textLength, budget }: { readonly textLength: number; readonly budget: EventLoopBudget },
): Promise<SearchDocument> {
  const steps = searchDocumentInSteps(searchFieldsOf(retailer), searchableReceipt(receipt, store));
  return bounded(await runInTurns(steps, budget, itemsCost(receipt)), textLength);
}

function bounded(search: SearchDocument, textLength: number): SearchDocument {
  if (textLength * growthMax < searchBytesMax) return search;
  let left = searchBytesMax;
  const within = (strings: readonly string[]) =>
    strings.filter((string) => {
      left -= Buffer.byteLength(string);
      return left >= 0;
    });
  return { ...search, terms: within(search.terms), texts: within(search.texts) };
}
