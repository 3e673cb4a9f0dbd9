import {
  adminContracts,
  deliveryContracts,
  receiptStoreContracts,
  type receiptStoreContracts as contracts,
} from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { orUndefined } from '../../pages/refusal';
import type { Portal } from '../open-portal';
import { checkPermission, type SignedIn } from '../signed-in';
import { filterQueries, type Filters } from './filters';
import { readSearchText, type SearchText } from './search-text';

type Rows = ReceivedReply<(typeof contracts)['listReceiptRows']>['body'];

/** The search box and the filters. */
export interface Criteria extends Filters {
  readonly query?: string | undefined;
  readonly sort?: 'sold' | 'arrived' | undefined;
}

export interface RowsPage {
  readonly beyond?: string | undefined;
  readonly direction: 'older' | 'newer';
  readonly count: number;
}

export type FoundRows = Rows & Pick<SearchText, 'understood'>;

/** The retailer's stores, at most a hundred, for names in searches and as suggestions. */
export async function knownStores({ ask }: Portal, { call }: SignedIn) {
  const listed = await orUndefined(ask(adminContracts.listStores, { query: { count: 100 } }, call));
  return listed?.body.stores ?? [];
}

/**
 * The receipts that match the search box and all filters.
 * @throws ServiceError 400 for an invalid filter or query, 403 if the user may not search
 */
export async function findRows(
  deps: Portal,
  who: SignedIn,
  criteria: Criteria,
  { beyond, direction, count }: RowsPage,
): Promise<FoundRows> {
  checkPermission(who, 'view.get_receipt');
  const text = criteria.query ?? '';
  const stores = text.trim() === '' ? [] : await knownStores(deps, who);
  const { queries: words, understood } = readSearchText(text, stores, who);
  const queries = [...words, ...filterQueries(criteria, who)];
  if (queries.length > 0) checkPermission(who, 'view.search_receipt');
  const { sort = 'sold' } = criteria;
  const body = { queries, sort, direction, count, ...(beyond !== undefined && { beyond }) };
  const found = (await deps.ask(receiptStoreContracts.listReceiptRows, { body }, who.call)).body;
  return { ...found, understood };
}

/** Which of these receipts were sent. Unknown while delivery does not answer. */
export async function sentAmong(
  { ask }: Portal,
  { call }: SignedIn,
  rows: Rows['rows'],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const body = { receipts: rows.map(({ id }) => id) };
  const found = await orUndefined(ask(deliveryContracts.listSentReceipts, { body }, call));
  return new Set(found?.body.sent);
}
