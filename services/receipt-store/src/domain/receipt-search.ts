import type { Retailer, ReturnedReceipt, StoreRecord } from '@receipts/contracts';
import {
  receiptFields,
  searchDocument,
  type FieldCatalogue,
  type SearchableRecord,
  type SearchDocument,
} from '@receipts/search-language';

/** What search knows of a receipt's store. */
export type SearchedStore = Pick<StoreRecord, 'id' | 'reference' | 'external_reference'>;

/**
 * Text, event and search document share a document, which ends at 16 MiB; the first two take half of it at most. Only
 * a receipt of a megabyte or more has so many words, and is then not found by its last ones.
 */
const searchBytesMax = 6 * 1024 * 1024;
/** No search document is larger than this multiple of its text: a character can decompose into 18. */
const growthMax = 60;

/** A retailer's own fields are made once for each version of its settings. */
const catalogues = new WeakMap<Retailer['settings'], FieldCatalogue>();

/** The fields by which a retailer's receipts are found. */
export function searchFieldsOf({ settings }: Pick<Retailer, 'settings'>): FieldCatalogue {
  let fields = catalogues.get(settings);
  if (!fields) {
    fields = receiptFields(settings.dynamic_fields);
    catalogues.set(settings, fields);
  }
  return fields;
}

/**
 * A receipt as search sees it: what is returned, with every name of its store, so that it is found by each of them
 * whichever it was posted with.
 * @param store undefined when nobody knows it; then the name that was posted stands
 */
export function searchableReceipt(
  receipt: ReturnedReceipt,
  store: SearchedStore | undefined,
): SearchableRecord {
  if (!store) return { ...receipt };
  const { id, reference, external_reference } = store;
  return {
    ...receipt,
    store_id: id,
    store_reference: reference,
    external_store_reference: external_reference,
  };
}

/** What a receipt is found by. It is made anew whenever the receipt changes. */
export function searchOf(
  retailer: Pick<Retailer, 'settings'>,
  receipt: ReturnedReceipt,
  store: SearchedStore | undefined,
  textLength: number,
): SearchDocument {
  const search = searchDocument(searchFieldsOf(retailer), searchableReceipt(receipt, store));
  return textLength * growthMax < searchBytesMax ? search : bounded(search);
}

function bounded(search: SearchDocument): SearchDocument {
  let left = searchBytesMax;
  const within = (strings: readonly string[]) =>
    strings.filter((string) => {
      left -= Buffer.byteLength(string);
      return left >= 0;
    });
  return { ...search, t: within(search.t), u: within(search.u) };
}
