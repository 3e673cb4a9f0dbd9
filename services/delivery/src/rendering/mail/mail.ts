import { escapeHtml as e } from '@receipts/html';
import { shownSize, type Logo } from '../images/logo';
import { defaultBrandColour, textColourOn } from '../page/page-style';
import { itemText, plainTextOf } from './plain-text';
import type { Line } from '../view/line';
import type { ItemView, ReceiptView } from '../view/view';

export interface Mail {
  /** The name of the sender. */
  readonly from?: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** The id by which the HTML refers to an image. */
  readonly cid?: string;
}

/** The files of an e-mail. */
export interface MailFiles {
  readonly logo?: Logo | undefined;
  /** The code of the fiscal device as a PNG. */
  readonly fiscalQr?: Buffer | undefined;
  readonly pdf?: { readonly filename: string; readonly content: Buffer } | undefined;
}

/** The layout of the parts of an e-mail. */
interface Layout {
  /** The side of the amounts. Outlook for Windows does not support `text-align: end`. */
  readonly end: 'left' | 'right';
}

/** Mail programs truncate e-mails above about 100 kB. The page shows everything that is omitted here. */
const partBytesMax = { items: 36_000, other: 7_000 } as const;

const more = '<tr><td>…</td></tr>';

const font = 'Arial,Helvetica,sans-serif';
const styles = {
  cell: `font:15px/1.5 ${font};padding:2px 0;vertical-align:top`,
  amount: 'text-align:end;white-space:nowrap;padding-inline-start:16px',
  soft: 'font-size:13px;opacity:.75',
  total: 'font-size:20px;font-weight:bold',
} as const;

/** Mail programs that do not support this style show the colours of the elements. */
const darkStyle =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media(prefers-color-scheme:dark){.g{background:#0b0c0e!important}.p{background:#1c1e23!important;color:#f3f4f6!important}' +
  '.b{background:#f3f4f6!important}.b a{color:#14161a!important}.r{border-color:#343841!important}}';

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

const row =
  ({ end }: Layout, more = '') =>
  ({ label, amount }: Line) => {
    const style = `${styles.cell}${more}`;
    return (
      `<tr><td style="${style}"><bdi>${e(label)}</bdi></td>\n` +
      `<td align="${end}" style="${style};${styles.amount}"><bdi>${e(amount)}</bdi></td></tr>`
    );
  };

const softRow = (layout: Layout) => row(layout, `;${styles.soft}`);

function soft(text: string, href: string | null = null): string {
  const content = `<bdi>${e(text)}</bdi>`;
  const linked = href === null ? content : `<a href="${e(href)}" style="color:inherit">${content}</a>`;
  return `<tr><td colspan="2" style="${styles.cell};${styles.soft}">\n${linked}</td></tr>`;
}

function itemRow(item: ItemView, layout: Layout): string {
  return [
    row(layout)({ label: item.name, amount: item.total }),
    ...(item.amounts === null ? [] : [soft(item.amounts)]),
    ...item.details.map((text) => soft(text)),
    ...item.discounts.map(row(layout)),
    ...(item.returned === null ? [] : [soft(item.returned)]),
  ].join('\n');
}

function* itemRows({ items }: ReceiptView, layout: Layout): Generator<string, void> {
  for (const item of items) yield itemRow(item, layout);
}

/** The view with as many items as a text may contain. */
function shortened(view: ReceiptView): ReceiptView {
  let left = partBytesMax.items;
  const isOver = (item: ItemView) => (left -= Buffer.byteLength(itemText(item))) < 0;
  const over = view.items.findIndex(isOver);
  return over < 0 ? view : { ...view, items: view.items.slice(0, over), hasMoreItems: true };
}

const logoId = 'logo';
const fiscalId = 'fiscal';

/** The code as an image, or as text if there is no image. */
function fiscalCode(code: string, hasImage: boolean, { labels }: ReceiptView): string {
  if (!hasImage) return soft(code);
  const style = 'display:block;border:0;margin:8px auto';
  return `<tr><td colspan="2"><img src="cid:${fiscalId}" alt="${e(labels.fiscalCode)}" width="160" height="160" style="${style}"></td></tr>`;
}

/** Outlook for Windows needs the size as attributes. A white background makes dark logos visible on every colour. */
function picture(logo: Logo | undefined): string {
  if (!logo) return '';
  const { width, height } = shownSize(logo);
  const style = 'display:block;border:0;background:#ffffff;padding:6px;border-radius:10px;margin:0 0 14px';
  return `<img src="cid:${logoId}" alt="" width="${width}" height="${height}" style="${style}">`;
}

function header(view: ReceiptView, logo: Logo | undefined): string {
  const { brand, labels, total, date } = view;
  const notes = [
    ...(view.isVoided ? [labels.voided] : []),
    ...(view.isCopy ? [labels.copy] : []),
    ...(view.isIncomplete ? [labels.incomplete] : []),
  ];
  const background = brand.colour ?? defaultBrandColour;
  const style = `background:${background};color:${textColourOn(background)};padding:24px;font:15px/1.5 ${font}`;
  const lines = [date, ...notes, ...brand.header].map((text) => `<br>\n<bdi>${e(text)}</bdi>`);
  return (
    `<tr><td bgcolor="${background}" style="${style}">${picture(logo)}<b><bdi>${e(brand.name)}</bdi></b>\n` +
    `<h1 style="margin:12px 0 0;font:bold 36px/1.2 ${font}"><bdi>${e(total.amount)}</bdi></h1>${fitting(lines)}</td></tr>`
  );
}

function button(page: string, { viewReceipt }: ReceiptView['labels']): string {
  return (
    '<table role="presentation" align="center" cellpadding="0" cellspacing="0"><tr>' +
    '<td class="b" bgcolor="#14161a" style="background:#14161a;border-radius:12px;padding:12px 28px">' +
    `<a href="${e(page)}" style="font:bold 16px/1.5 ${font};color:#ffffff;text-decoration:none">${e(viewReceipt)}</a>` +
    '</td></tr></table>'
  );
}

/** The parts between the header and the button, each as table rows. */
function parts(view: ReceiptView, hasFiscalImage: boolean): readonly string[] {
  const { brand, fiscal, store } = view;
  const layout = { end: view.direction === 'rtl' ? 'left' : 'right' } as const;
  const payments = view.payments.map(({ details, ...line }) =>
    [row(layout)(line), ...details.map((text) => soft(text))].join('\n'),
  );
  const links = brand.links.map(
    ({ name, href }) =>
      `<tr><td colspan="2" style="${styles.cell}"><a href="${e(href)}" style="color:inherit">${e(name)}</a></td></tr>`,
  );
  const total = row(layout, `;${styles.total}`)(view.total);
  return [
    fitting(itemRows(view, layout), partBytesMax.items),
    [fitting(view.sums.map(row(layout))), total, fitting(view.taxes.map(softRow(layout)))]
      .filter((some) => some !== '')
      .join('\n'),
    fitting(payments),
    fitting(store.map((line) => soft(line.text, line.href))),
    fitting(view.facts.map(({ label, value }) => softRow(layout)({ label, amount: value }))),
    fitting([
      ...fiscal.texts.map((text) => soft(text)),
      ...(fiscal.code === null ? [] : [fiscalCode(fiscal.code, hasFiscalImage, view)]),
    ]),
    fitting([...brand.footer.map((text) => soft(text)), ...links]),
  ].filter((part) => part !== '');
}

/**
 * Uses only tables and inline styles, which all mail programs support, and no external resources, which would reveal
 * something about the reader. The logo is part of the e-mail.
 */
function htmlOf(view: ReceiptView, page: string, unsubscribe: string | null, files: MailFiles): string {
  const { brand, labels } = view;
  const rule =
    '<tr><td colspan="2" style="padding:10px 0"><div class="r" style="border-top:1px solid #dcdfe6;font-size:0;line-height:0">&nbsp;</div></td></tr>';
  const table = 'role="presentation" width="100%" cellpadding="0" cellspacing="0"';
  const end =
    unsubscribe === null
      ? ''
      : `<p style="text-align:center;font:13px/1.5 ${font}"><a href="${e(unsubscribe)}" style="color:inherit">${e(labels.unsubscribe)}</a></p>`;
  return [
    `<!doctype html><html lang="${e(view.locale)}" dir="${view.direction}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<title>${e(brand.name)}</title><style>${darkStyle}</style></head>`,
    `<body class="g" style="margin:0;padding:0;background:#eceef2"><table class="g" ${table} bgcolor="#eceef2"><tr><td align="center" style="padding:16px 8px">`,
    // Outlook needs the width as an attribute.
    `<table class="p" ${table.replace('100%', '600')} bgcolor="#ffffff" style="width:100%;max-width:600px;background:#ffffff;color:#14161a;text-align:start">`,
    header(view, files.logo),
    `<tr><td style="padding:20px 24px"><table ${table}>`,
    parts(view, files.fiscalQr !== undefined).join(`\n${rule}\n`),
    `</table></td></tr><tr><td style="padding:4px 24px 28px">${button(page, labels)}${end}</td></tr>`,
    '</table></td></tr></table></body></html>',
  ].join('\n');
}

function subjectOf({ labels, brand, day, total }: ReceiptView): string {
  const values: Readonly<Record<string, string>> = { name: brand.name, date: day, total: total.amount };
  return labels.mailSubject.replace(/\{(\w+)\}/g, (_all, key: string) => values[key] ?? '');
}

function attachmentsOf({ logo, pdf, fiscalQr }: MailFiles): readonly MailAttachment[] {
  const extension = logo?.type === 'image/png' ? 'png' : 'jpg';
  return [
    ...(fiscalQr
      ? [{ filename: 'fiscal.png', contentType: 'image/png', content: fiscalQr, cid: fiscalId }]
      : []),
    ...(pdf ? [{ ...pdf, contentType: 'application/pdf' }] : []),
    ...(logo
      ? [{ filename: `logo.${extension}`, contentType: logo.type, content: logo.content, cid: logoId }]
      : []),
  ];
}

/** A receipt as an e-mail, with the URL of its page and the URL for unsubscribing. */
export function mailOf(
  view: ReceiptView,
  page: string,
  unsubscribe: string | null = null,
  files: MailFiles = {},
): Mail {
  const { labels } = view;
  const last = unsubscribe === null ? '' : `${labels.unsubscribe}: ${unsubscribe}\n`;
  return {
    from: view.brand.name,
    subject: subjectOf(view),
    text: `${plainTextOf(shortened(view))}\n${labels.receipt}: ${page}\n${last}`,
    html: htmlOf(view, page, unsubscribe, files),
    attachments: attachmentsOf(files),
  };
}

/** An e-mail as a document that contains its logo. */
export function mailPreview(
  view: ReceiptView,
  page: string,
  logo: Logo | undefined,
): Pick<Mail, 'subject' | 'html'> {
  const { subject, html } = mailOf(view, page, null, { logo });
  const image = logo && `data:${logo.type};base64,${logo.content.toString('base64')}`;
  return { subject, html: image === undefined ? html : html.replace(`cid:${logoId}`, () => image) };
}
