import { html, Html } from '@receipts/html';
import { shownSize, type Logo } from '../images/logo';
import { defaultBrandColour, textColourOn } from '../page/page-style';
import {
  fitting,
  font,
  isolated,
  onLines,
  partBytesMax,
  row,
  soft,
  softRow,
  styles,
  type Layout,
} from './mail-rows';
import { itemText, plainTextOf } from './plain-text';
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

/** Mail programs that do not support this style show the colours of the elements. */
const darkStyle =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media(prefers-color-scheme:dark){.g{background:#0b0c0e!important}.p{background:#1c1e23!important;color:#f3f4f6!important}' +
  '.b{background:#f3f4f6!important}.b a{color:#14161a!important}.r{border-color:#343841!important}}';

const itemRow = (item: ItemView, layout: Layout): Html =>
  onLines([
    row(layout)({ label: item.name, amount: item.total }),
    ...(item.amounts === null ? [] : [soft(item.amounts)]),
    ...item.details.map((text) => soft(text)),
    ...item.discounts.map(row(layout)),
    ...(item.returned === null ? [] : [soft(item.returned)]),
  ]);

function* itemRows({ items }: ReceiptView, layout: Layout): Generator<Html, void> {
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
function fiscalCode(code: string, hasImage: boolean, { labels }: ReceiptView): Html {
  if (!hasImage) return soft(code);
  const style = 'display:block;border:0;margin:8px auto';
  return html`<tr>
    <td colspan="2">
      <img src="cid:${fiscalId}" alt="${labels.fiscalCode}" width="160" height="160" style="${style}" />
    </td>
  </tr>`;
}

/** Outlook for Windows needs the size as attributes. A white background makes dark logos visible on every colour. */
function picture(logo: Logo | undefined): Html | undefined {
  if (!logo) return undefined;
  const { width, height } = shownSize(logo);
  const style = 'display:block;border:0;background:#ffffff;padding:6px;border-radius:10px;margin:0 0 14px';
  return html`<img src="cid:${logoId}" alt="" width="${width}" height="${height}" style="${style}" />`;
}

function header(view: ReceiptView, logo: Logo | undefined): Html {
  const { brand, labels, total, date } = view;
  const notes = [
    ...(view.isVoided ? [labels.voided] : []),
    ...(view.isCopy ? [labels.copy] : []),
    ...(view.isIncomplete ? [labels.incomplete] : []),
  ];
  const background = brand.colour ?? defaultBrandColour;
  const style = `background:${background};color:${textColourOn(background)};padding:24px;font:15px/1.5 ${font}`;
  const lines = [date, ...notes, ...brand.header].map((text) => html`<br />${isolated(text)}`);
  return html`<tr>
    <td bgcolor="${background}" style="${style}">
      ${picture(logo)}<b>${isolated(brand.name)}</b>
      <h1 style="margin:12px 0 0;font:bold 36px/1.2 ${font}">${isolated(total.amount)}</h1>
      ${onLines(fitting(lines))}
    </td>
  </tr>`;
}

function button(page: string, { viewReceipt }: ReceiptView['labels']): Html {
  const style = `font:bold 16px/1.5 ${font};color:#ffffff;text-decoration:none`;
  return html`<table role="presentation" align="center" cellpadding="0" cellspacing="0">
    <tr>
      <td class="b" bgcolor="#14161a" style="background:#14161a;border-radius:12px;padding:12px 28px">
        <a href="${page}" style="${style}">${viewReceipt}</a>
      </td>
    </tr>
  </table>`;
}

/** The parts between the header and the button, each as table rows. */
function parts(view: ReceiptView, hasFiscalImage: boolean): readonly Html[] {
  const { brand, fiscal, store } = view;
  const layout = { end: view.direction === 'rtl' ? 'left' : 'right' } as const;
  const payments = view.payments.map(({ details, ...line }) =>
    onLines([row(layout)(line), ...details.map((text) => soft(text))]),
  );
  const links = brand.links.map(
    ({ name, href }) =>
      html`<tr>
        <td colspan="2" style="${styles.cell}"><a href="${href}" style="color:inherit">${name}</a></td>
      </tr>`,
  );
  const total = row(layout, `;${styles.total}`)(view.total);
  return [
    fitting(itemRows(view, layout), partBytesMax.items),
    [...fitting(view.sums.map(row(layout))), total, ...fitting(view.taxes.map(softRow(layout)))],
    fitting(payments),
    fitting(store.map((line) => soft(line.text, line.href))),
    fitting(view.facts.map(({ label, value }) => softRow(layout)({ label, amount: value }))),
    fitting([
      ...fiscal.texts.map((text) => soft(text)),
      ...(fiscal.code === null ? [] : [fiscalCode(fiscal.code, hasFiscalImage, view)]),
    ]),
    fitting([...brand.footer.map((text) => soft(text)), ...links]),
  ]
    .filter((rows) => rows.length > 0)
    .map(onLines);
}

const rule = html`<tr>
  <td colspan="2" style="padding:10px 0">
    <div class="r" style="border-top:1px solid #dcdfe6;font-size:0;line-height:0">&nbsp;</div>
  </td>
</tr>`;
const darkStyles = new Html(`<style>${darkStyle}</style>`);

/**
 * Uses only tables and inline styles, which all mail programs support, and no external resources, which would reveal
 * something about the reader. The logo is part of the e-mail.
 */
function htmlOf(view: ReceiptView, page: string, unsubscribe: string | null, files: MailFiles): string {
  const { brand, labels } = view;
  const sheet = 'width:100%;max-width:600px;background:#ffffff;color:#14161a;text-align:start';
  const sections = parts(view, files.fiscalQr !== undefined).map((part, i) =>
    i === 0 ? part : [rule, part],
  );
  const end =
    unsubscribe !== null &&
    html`<p style="text-align:center;font:13px/1.5 ${font}">
      <a href="${unsubscribe}" style="color:inherit">${labels.unsubscribe}</a>
    </p>`;
  // Outlook needs the width of the sheet as an attribute.
  return html`<!doctype html>
    <html lang="${view.locale}" dir="${view.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${brand.name}</title>
        ${darkStyles}
      </head>
      <body class="g" style="margin:0;padding:0;background:#eceef2">
        <table class="g" role="presentation" width="100%" cellpadding="0" cellspacing="0" bgcolor="#eceef2">
          <tr>
            <td align="center" style="padding:16px 8px">
              <table
                class="p"
                role="presentation"
                width="600"
                cellpadding="0"
                cellspacing="0"
                bgcolor="#ffffff"
                style="${sheet}"
              >
                ${header(view, files.logo)}
                <tr>
                  <td style="padding:20px 24px">
                    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
                      ${sections}
                    </table>
                  </td>
                </tr>
                <tr>
                  <td style="padding:4px 24px 28px">${button(page, labels)} ${end}</td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`.text;
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
  const { subject, html: text } = mailOf(view, page, null, { logo });
  const image = logo && `data:${logo.type};base64,${logo.content.toString('base64')}`;
  return { subject, html: image === undefined ? text : text.replace(`cid:${logoId}`, () => image) };
}
