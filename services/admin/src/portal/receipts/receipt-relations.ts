import { receiptStoreContracts, type ReceiptRow, type ReturnedReceipt } from '@receipts/contracts';
import { orUndefined } from '../../pages/refusal';
import { html, type Html } from '@receipts/html';
import { badge } from '../../pages/table';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';
import { quoted } from './filters';

const relatedMax = 20;

/** The relations of a receipt to receipts that the user may see. */
export interface Relations {
  /** The ids of the receipts that this one names; others belong to another store or are deleted. */
  readonly named: ReadonlySet<string>;
  /** The receipts that refer to this one, such as its returns, newest first. */
  readonly referring: readonly ReceiptRow[];
}

export async function relationsOf(deps: Portal, who: SignedIn, receipt: ReturnedReceipt): Promise<Relations> {
  const [named, referring] = await Promise.all([
    namedBy(deps, who, receipt),
    who.may('view.search_receipt') ? referringTo(deps, who, receipt) : [],
  ]);
  return { named, referring };
}

async function namedBy(
  { ask }: Portal,
  { call }: SignedIn,
  { related }: ReturnedReceipt,
): Promise<ReadonlySet<string>> {
  const ids = related.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return new Set();
  const query = { id: ids, count: relatedMax };
  const found = await orUndefined(ask(receiptStoreContracts.listReceipts, { query }, call));
  return new Set(found?.body.receipts.map(({ id }) => id));
}

async function referringTo(
  { ask }: Portal,
  { call }: SignedIn,
  { id, transaction_id: number }: ReturnedReceipt,
): Promise<readonly ReceiptRow[]> {
  const query = `related.id:${quoted(id)} OR related.transaction_id:${quoted(number)}`;
  const body = { queries: [query], sort: 'sold' as const, direction: 'older' as const, count: relatedMax };
  const found = await orUndefined(ask(receiptStoreContracts.listReceiptRows, { body }, call));
  return (found?.body.rows ?? []).filter((row) => row.id !== id);
}

/**
 * The receipts that this one belongs to, and those that belong to it; nothing if there are none. The numbers of the former
 * were posted with this receipt, so they are shown even if the user may not see these receipts.
 */
export function relationsView(
  { related }: ReturnedReceipt,
  { named, referring }: Relations,
  { base, language }: SignedIn,
): Html | undefined {
  const { t, money, localTime } = language;
  if (related.length === 0 && referring.length === 0) return undefined;
  const own = related.map(({ type, id, transaction_id: number }) => {
    const name = number ?? id ?? '';
    const isNamed = id !== null && named.has(id);
    return html`<li>
      ${t(`relation.of.${type}`)}:
      ${isNamed ? html`<a href="${base}/portal/receipts/${id}">${name}</a>` : name}
      ${id === null && badge('plain', t('relation.unknown'))}
    </li>`;
  });
  const others = referring.map((row) => {
    const type = row.relations.find((one) => one === 'return' || one === 'exchange') ?? 'correction';
    return html`<li>
      ${t(`relation.by.${type}`)}:
      <a href="${base}/portal/receipts/${row.id}">${row.transaction_id}</a>, ${money(row.currency)(row.total)}
      ${row.marks.includes('voided') && badge('bad', t('tag.voided'))}<small
        >${localTime(row.localtime)}</small
      >
    </li>`;
  });
  return html`<section class="card" aria-labelledby="related">
    <h2 id="related">${t('relations')}</h2>
    <ul>
      ${own} ${others}
    </ul>
  </section>`;
}
