import { deliveryContracts, receiptStoreContracts } from '@receipts/contracts';
import { orUndefined } from '../../pages/refusal';
import { knownStores } from '../known-stores';
import type { Portal } from '../open-portal';
import { checkPermission, type SignedIn } from '../signed-in';
import { filterQueries, sendingMark, type Filters, type SendingMark } from './filters';
import { scanRows, type Rows, type RowsPage, type ScannedRows } from './scan-rows';
import { readSearchText, type SearchText } from './search-text';

/** The search box and the filters. */
export interface Criteria extends Filters {
  readonly query?: string | undefined;
  readonly sort?: 'sold' | 'arrived' | undefined;
}

/** How long a page by sending marks reads on for further receipts. */
const scanMsMax = 2_000;

export type FoundRows = ScannedRows & Pick<SearchText, 'understood'>;

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
  const stores = text.trim() === '' ? [] : ((await orUndefined(knownStores(deps, who))) ?? []);
  const { queries: words, understood } = readSearchText(text, stores, who);
  const queries = [...words, ...filterQueries(criteria, who)];
  if (queries.length > 0) checkPermission(who, 'view.search_receipt');
  const { sort = 'sold' } = criteria;
  const read = async (from: string | undefined, countMax: number): Promise<Rows> => {
    const body = { queries, sort, direction, count: countMax, ...(from !== undefined && { beyond: from }) };
    return (await deps.ask(receiptStoreContracts.listReceiptRows, { body }, who.call)).body;
  };
  const mark = sendingMark(criteria.mark);
  if (mark) {
    checkPermission(who, 'view.search_receipt');
    const matching = (rows: Rows['rows']) => rowsWithMark(mark, rows, deps, who);
    const endsAt = deps.now().getTime() + scanMsMax;
    const hasTime = () => deps.now().getTime() < endsAt;
    return { ...(await scanRows({ read, matching, hasTime }, { beyond, direction, count })), understood };
  }
  const found = await read(beyond, count);
  const [first, last] = [found.rows[0], found.rows.at(-1)];
  return { ...found, understood, newest: first?.position, oldest: last?.position };
}

/**
 * The receipts with a mark of sending.
 * @throws ServiceError 503 while delivery does not answer: a guess would be wrong
 */
async function rowsWithMark(
  mark: SendingMark,
  rows: Rows['rows'],
  { ask }: Portal,
  { call }: SignedIn,
): Promise<ReadonlySet<string>> {
  const receipts = rows.map(({ id }) => id);
  const body = (await ask(deliveryContracts.listSentReceipts, { body: { receipts } }, call)).body;
  if (mark === 'sent') return new Set(body.sent);
  if (mark === 'notDelivered') return new Set(body.failed);
  const known = new Set([...body.sent, ...body.failed, ...body.pending]);
  return new Set(receipts.filter((id) => !known.has(id)));
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
