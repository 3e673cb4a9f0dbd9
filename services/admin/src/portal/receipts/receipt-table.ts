import { paymentMethodName, type ReceiptRow } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { badge, table, type Column } from '../../pages/table';
import type { SignedIn } from '../signed-in';

/** The offset of a local time, such as `+01:00`. */
const zoneOf = (localtime: string) =>
  localtime
    .slice(19)
    .replace(/^\.\d+/, '')
    .replace('+00:00', 'UTC');

export const storeName = ({ store_name, store_reference }: ReceiptRow, { t }: Language) =>
  store_name ?? t('storeNumber', { store: store_reference });

export const paymentNames = ({ payment_methods: methods }: ReceiptRow, { t }: Language) =>
  methods.map((method) => paymentMethodName(method, (kind) => t(`payment.${kind}`))).join(', ');

const markKinds = { voided: 'bad', return: 'warn', duplicate: 'plain', incomplete: 'plain' } as const;

/** What distinguishes a receipt from others, in words. */
export function marksOf({ marks, checks }: ReceiptRow, isSent: boolean, { t }: Language): Html {
  return html`${marks.map((mark) => html`${badge(markKinds[mark], t(`tag.${mark}`))} `)}
  ${checks.length > 0 && html`${badge('bad', t('tag.check'))} `} ${isSent && badge('good', t('tag.sent'))}`;
}

const chooser = ({ id, transaction_id: number }: ReceiptRow, { t }: Language) =>
  html`<input type="checkbox" name="ids" value="${id}" aria-label="${t('choose.receipt', { number })}" />`;

export interface ReceiptTableOptions {
  readonly rows: readonly ReceiptRow[];
  readonly sent: ReadonlySet<string>;
  /** True if the user can choose rows for an action. */
  readonly canChoose: boolean;
}

/** Many receipts at a glance: one line each on a laptop. */
export function receiptTable(
  { rows, sent, canChoose }: ReceiptTableOptions,
  { base, language }: SignedIn,
): Html {
  const { t, shortTime, money, number } = language;
  const columns: Column[] = [
    ...(canChoose ? [t('choose.column')] : []),
    t('receipt'),
    t('sold'),
    t('checks.storeTill'),
    { numbers: t('items') },
    t('firstItem'),
    t('payment'),
    { numbers: t('totals.total') },
    t('marks'),
  ];
  const cells = rows.map((row) => [
    ...(canChoose ? [chooser(row, language)] : []),
    html`<a class="clip" href="${base}/portal/receipts/${row.id}">${row.transaction_id}</a>`,
    html`${shortTime(row.localtime)} <span class="zone">${zoneOf(row.localtime)}</span>`,
    html`<span class="clip">${[storeName(row, language), row.till_uuid].filter(Boolean).join(', ')}</span>`,
    number(row.items),
    html`<span class="clip">${row.first_item ?? ''}</span>`,
    paymentNames(row, language),
    money(row.currency)(row.total),
    marksOf(row, sent.has(row.id), language),
  ]);
  return table('found', columns, cells, { className: 'dense', rowHead: canChoose ? 1 : 0 });
}
