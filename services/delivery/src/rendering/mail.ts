import { escapeHtml as e } from '@receipts/contracts';
import { itemText, plainTextOf } from './plain-text';
import type { ItemView, Line, ReceiptView } from './view';

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Mail programs truncate mails above about 100 kB. The page shows everything that is omitted here. */
const partBytesMax = { items: 40_000, other: 8_000 } as const;

const more = '<tr><td>…</td></tr>';

const styles = {
  body: 'margin:0;padding:24px;font:16px/1.5 Arial,Helvetica,sans-serif;color:#16181d',
  table: 'width:100%;max-width:480px;border-collapse:collapse',
  amount: 'text-align:end;vertical-align:top;white-space:nowrap;padding-inline-start:16px',
  soft: 'color:#5c6370;font-size:14px',
} as const;

/** As many rows as fit, and a note if there are more. Rows that do not fit are not rendered. */
function fitting(rows: Iterable<string>, bytesMax: number = partBytesMax.other): string {
  const kept: string[] = [];
  let left = bytesMax;
  for (const row of rows) {
    left -= Buffer.byteLength(row);
    if (left < 0) return [...kept, more].join('\n');
    kept.push(row);
  }
  return kept.join('\n');
}

const cells = (label: string, amount: string) =>
  `<tr><td>${label}</td>\n<td style="${styles.amount}"><bdi>${e(amount)}</bdi></td></tr>`;

const row = ({ label, amount }: Line) => cells(`<bdi>${e(label)}</bdi>`, amount);

const soft = (text: string) => `<tr><td colspan="2" style="${styles.soft}">\n<bdi>${e(text)}</bdi></td></tr>`;

function itemRow(item: ItemView): string {
  const amounts = item.unitPrice === null ? item.quantity : `${item.quantity} × ${item.unitPrice}`;
  const isPlain = item.quantity === '1' && item.unitPrice === null;
  return [
    row({ label: item.name, amount: item.total }),
    ...(isPlain ? [] : [soft(amounts)]),
    ...item.details.map(soft),
    ...item.discounts.map(row),
    ...(item.returned === null ? [] : [soft(item.returned)]),
  ].join('\n');
}

function* itemRows({ items }: ReceiptView): Generator<string, void> {
  for (const item of items) yield itemRow(item);
}

/** The view with as many items as a text may contain. */
function shortened(view: ReceiptView): ReceiptView {
  let left = partBytesMax.items;
  const isOver = (item: ItemView) => (left -= Buffer.byteLength(itemText(item))) < 0;
  const over = view.items.findIndex(isOver);
  return over < 0 ? view : { ...view, items: view.items.slice(0, over), hasMoreItems: true };
}

/**
 * Only tables and inline styles, without external resources: supported by all mail programs, and reveals nothing about
 * the reader.
 */
function htmlOf(view: ReceiptView, page: string, unsubscribe: string | null): string {
  const { brand, labels } = view;
  const notes = [...(view.isCopy ? [labels.copy] : []), ...(view.isIncomplete ? [labels.incomplete] : [])];
  const payments = view.payments.map(({ details, ...line }) => [row(line), ...details.map(soft)].join('\n'));
  const facts = view.facts.map(({ label, value }) => soft(`${label}: ${value}`));
  const links = brand.links.map(
    ({ name, href }) => `<tr><td colspan="2"><a href="${e(href)}">${e(name)}</a></td></tr>`,
  );
  const total = cells(`<b>${e(view.total.label)}</b>`, view.total.amount);
  const parts = [
    fitting([...brand.header, ...view.store, view.date, ...notes].map(soft)),
    fitting(itemRows(view), partBytesMax.items),
    fitting(view.sums.map(row)),
    total,
    fitting(view.taxes.map(row)),
    fitting(payments),
    fitting(facts),
    fitting([...brand.footer.map(soft), ...links]),
  ];
  const blank = '<tr><td colspan="2">&nbsp;</td></tr>';
  return [
    `<!doctype html><html lang="${e(view.locale)}" dir="${view.direction}"><head><meta charset="utf-8"></head>`,
    `<body style="${styles.body}">`,
    `<h1 style="font-size:20px"><bdi>${e(brand.name)}</bdi></h1>`,
    `<table role="presentation" style="${styles.table}">`,
    parts.filter((part) => part !== '').join(`\n${blank}\n`),
    '</table>',
    `<p><a href="${e(page)}">${e(labels.receipt)}</a></p>`,
    ...(unsubscribe === null
      ? []
      : [`<p style="${styles.soft}"><a href="${e(unsubscribe)}">${e(labels.unsubscribe)}</a></p>`]),
    '</body></html>',
  ].join('\n');
}

/** A receipt as a mail, with the URL of its page and the URL for unsubscribing. */
export function mailOf(view: ReceiptView, page: string, unsubscribe: string | null = null): Mail {
  const { labels } = view;
  const last = unsubscribe === null ? '' : `${labels.unsubscribe}: ${unsubscribe}\n`;
  return {
    subject: `${view.brand.name}: ${view.total.amount}`,
    text: `${plainTextOf(shortened(view))}\n${labels.receipt}: ${page}\n${last}`,
    html: htmlOf(view, page, unsubscribe),
  };
}
