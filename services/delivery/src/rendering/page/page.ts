import { attachmentHref, receiptForms, type ReceiptForm } from '@receipts/contracts';
import { escapeHtml as e } from '@receipts/html';
import { createHash } from 'node:crypto';
import { mapped, type Parts } from '../in-parts';
import { labelLanguage, labelLanguages } from '../labels/labels';
import { directionOf } from '../labels/locale';
import { brandStyle, pageStyle } from './page-style';
import { fiscalQrSvg } from '../images/qr';
import { structuredData, type StructuredReceipt } from './structured-data';
import type { Line } from '../view/line';
import type { ItemView, ReceiptView, StoreLine } from '../view/view';

export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export interface PageLinks {
  readonly page: string;
  readonly pdf: string;
  readonly proof: string;
  /** The language that the reader has chosen, if any. */
  readonly lang?: string | undefined;
  /** The URLs that save the receipt in wallet apps, by the app's name. */
  readonly wallets?: Readonly<Record<string, string>>;
  /** The QR code of the page's own URL, as inline SVG. */
  readonly qrSvg: string;
}

/** The hash with which a Content-Security-Policy allows an inline style. */
const styleHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function row(label: string, amount: string, classes = ''): string {
  return `<div class="row${classes}"><span>${label}</span><span><bdi>${e(amount)}</bdi></span></div>`;
}

/** Texts from the till have their own direction, independent of the page's. */
export const isolated = (text: string) => `<bdi>${e(text)}</bdi>`;

const lines = (all: readonly Line[], classes = '') =>
  all.map(({ label, amount }) => row(isolated(label), amount, classes)).join('');

const link = (href: string, content: string) =>
  `<a href="${e(href)}" rel="noopener noreferrer nofollow">${content}</a>`;

const soft = (text: string) => `<p class="soft small">${isolated(text)}</p>`;

function item(one: ItemView): string {
  return (
    `<li>${row(`<span class="name">${isolated(one.name)}</span>`, one.total)}` +
    (one.amounts === null ? '' : soft(one.amounts)) +
    one.details.map(soft).join('') +
    lines(one.discounts, ' small good') +
    (one.returned === null ? '' : `<p class="small good">${isolated(one.returned)}</p>`) +
    '</li>'
  );
}

export function section(title: string, content: string): string {
  return content === '' ? '' : `<section><h2>${e(title)}</h2>${content}</section>`;
}

/** A section without a visible title; the title is for screen readers. */
export function plainSection(title: string, content: string): string {
  return `<section><h2 class="unseen">${e(title)}</h2>${content}</section>`;
}

/** Strikes through content that is no longer valid. */
const struck = ({ isVoided }: ReceiptView, content: string) => (isVoided ? `<s>${content}</s>` : content);

/** A class that makes a long amount small enough to fit on one line on a phone. */
const amountSize = ({ length }: string) => (length > 14 ? ' longer' : length > 9 ? ' long' : '');

export const logoImage = (logo: string | null = null) =>
  logo === null ? '' : `<img src="${e(logo)}" alt="">`;

/** The part of a Content-Security-Policy that allows the logo. */
const imageSource = (logo: string | null = null) =>
  logo === null ? '' : `; img-src ${new URL(logo).origin}`;

function head(view: ReceiptView): string {
  const { brand, labels } = view;
  const notes = [...(view.isVoided ? [labels.voided] : []), ...(view.isCopy ? [labels.copy] : [])];
  const badges = notes.map((note) => `<p class="badge">${e(note)}</p>`).join('');
  const logo = logoImage(brand.logo);
  return (
    `<header>${logo}<h1>${e(brand.name)}</h1><p class="amount${amountSize(view.total.amount)}">${struck(view, `<bdi>${e(view.total.amount)}</bdi>`)}</p>` +
    `<p>${e(view.date)}</p>${badges}` +
    `${view.isIncomplete ? soft(labels.incomplete) : ''}${brand.header.map(soft).join('')}</header>`
  );
}

function payments(view: ReceiptView): string {
  return view.payments
    .map(({ label, amount, details }) => {
      const facts = details.map(isolated).join(' · ');
      return row(isolated(label), amount) + (facts === '' ? '' : `<p class="soft small">${facts}</p>`);
    })
    .join('');
}

export function storeLine({ text, href }: StoreLine): string {
  const content = href === null ? isolated(text) : link(href, isolated(text));
  return `<p class="small">${content}</p>`;
}

function attachments(view: ReceiptView, links?: PageLinks): string {
  const lines = view.attachments.map(({ label, name }) => {
    const content = isolated(name);
    return `<p class="small">${links ? link(attachmentHref(links.page, label), content) : content}</p>`;
  });
  return lines.join('');
}

/** The texts and the code of the fiscal device. A code that is too long for a QR code is shown as text. */
function fiscal({ fiscal: { texts, code }, labels }: ReceiptView): string {
  if (code === null) return texts.map(soft).join('');
  const svg = fiscalQrSvg(code);
  const drawn =
    svg === undefined
      ? `<p class="soft small code">${e(code)}</p>`
      : `<figure class="fiscal" role="img" aria-label="${e(labels.fiscalCode)}">${svg}</figure>`;
  return texts.map(soft).join('') + drawn;
}

function footer({ brand }: ReceiptView): string {
  const links = brand.links.map(({ name, href }) => link(href, e(name)));
  if (brand.footer.length + links.length === 0) return '';
  return `<footer>${brand.footer.map(soft).join('')}${links.length > 0 ? `<p>${links.join(' · ')}</p>` : ''}</footer>`;
}

const stub = ({ qrSvg }: PageLinks, { scan }: ReceiptView['labels']) =>
  `<section class="stub"><figure role="img" aria-label="${e(scan)}">${qrSvg}</figure></section>`;

/** Links to the page in other languages, relative to its own URL. */
export function languages(locale: string, labels: ReceiptView['labels']): string {
  const items = labelLanguages.map((language) => {
    const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
    const current = language === labelLanguage(locale) ? ' aria-current="true"' : '';
    return `<li><a href="?lang=${language}" lang="${language}" hreflang="${language}"${current}>${isolated(name)}</a></li>`;
  });
  return `<details><summary>${e(labels.language)}</summary><ul>${items.join('')}</ul></details>`;
}

/** Names that are the same in all languages. */
const formNames: Readonly<Record<ReceiptForm, string>> = {
  json: 'JSON',
  csv: 'CSV',
  ubl: 'UBL (EN 16931)',
  ekabs: 'EKaBS',
};

/** The forms in which the reader can take the receipt along as data. */
function takeAlong({ page }: PageLinks, labels: ReceiptView['labels']): string {
  const items = receiptForms.map(
    (form) => `<li><a href="${e(`${page}.${form}`)}" rel="nofollow">${e(formNames[form])}</a></li>`,
  );
  return `<details class="take"><summary class="button">${e(labels.takeAlong)}</summary><ul>${items.join('')}</ul></details>`;
}

const navigation = (links: PageLinks, { labels, locale }: ReceiptView) => {
  const { pdf, proof, lang, wallets = {} } = links;
  const passes = Object.entries(wallets).map(
    ([wallet, href]) =>
      `<a class="button wallet" href="${e(href)}" rel="noreferrer">${e(labels.addToWallet.replace('{wallet}', wallet))}</a>`,
  );
  const query = lang === undefined ? '' : `lang=${encodeURIComponent(lang)}`;
  const a4 = query === '' ? pdf : `${pdf}?${query}`;
  const roll = `${pdf}?format=roll${query === '' ? '' : `&${query}`}`;
  return (
    `<nav><a class="button" href="${e(a4)}">${e(labels.savePdf)}</a>${passes.join('')}` +
    `<p><a href="${e(roll)}">${e(labels.savePdfRoll)}</a></p>${takeAlong(links, labels)}` +
    `<p><a href="${e(proof)}">${e(labels.proof)}</a></p>${languages(locale, labels)}</nav>`
  );
};

export interface SimplePage {
  readonly locale: string;
  readonly brand: { readonly name: string; readonly colour?: string | null; readonly logo?: string | null };
  readonly title: string;
  /** HTML. */
  readonly content: string;
  /** Additional HTML for the head of the document. */
  readonly head?: string;
  /** Additional CSS. */
  readonly style?: string;
  /** The `form-action` of the Content-Security-Policy; by default no forms are allowed. */
  readonly formAction?: string;
}

export function documentOf(
  { locale, brand, head: more = '', formAction = "'none'" }: Omit<SimplePage, 'title' | 'content' | 'style'>,
  title: string,
  styles: readonly string[],
  main: string,
  data = '',
): Page {
  const allowedStyles = styles.map(styleHash).join(' ');
  return {
    html:
      `<!doctype html><html lang="${e(locale)}" dir="${directionOf(locale)}"><head><meta charset="utf-8">` +
      '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex,nofollow">' +
      `<meta name="referrer" content="no-referrer">${more}<title>${e(title)}</title>` +
      styles.map((style) => `<style>${style}</style>`).join('') +
      `${data}</head><body><main>${main}</main></body></html>`,
    contentSecurityPolicy:
      `default-src 'none'; style-src ${allowedStyles}${imageSource(brand.logo)}; base-uri 'none'; ` +
      `form-action ${formAction}; frame-ancestors 'none'`,
  };
}

/**
 * The page that a consumer sees. It needs no script and loads only the retailer's logo. `lang` is the language of the
 * labels; names and addresses are shown as sent by the till.
 * @param links absent for a page without its own links
 */
export function* pageInParts(view: ReceiptView, receipt: StructuredReceipt, links?: PageLinks): Parts<Page> {
  const { labels, brand } = view;
  const data = yield* structuredData(receipt);
  const items = yield* mapped(view.items, item);
  const facts = view.facts
    .map(({ label, value }) => `<dt>${e(label)}</dt><dd>${isolated(value)}</dd>`)
    .join('');
  const total = row(e(view.total.label), view.total.amount, ' total');
  const sums = `${lines(view.sums)}${total}${lines(view.taxes, ' small soft')}`;
  const main =
    `<article${view.isVoided ? ' class="voided"' : ''}>${head(view)}` +
    plainSection(labels.items, `<ul>${items.join('')}</ul>`) +
    plainSection(labels.total, sums) +
    section(labels.payment, payments(view)) +
    section(labels.store, view.store.map(storeLine).join('')) +
    section(labels.receipt, `<dl>${facts}</dl>`) +
    section(labels.attachments, attachments(view, links)) +
    section(labels.fiscalCode, fiscal(view)) +
    `${links ? stub(links, labels) : ''}${footer(view)}</article>${links ? navigation(links, view) : ''}`;
  const title = `${labels.receipt} · ${brand.name} · ${view.total.amount}`;
  const styles = [pageStyle, ...(brand.colour === null ? [] : [brandStyle(brand.colour)])];
  return documentOf(view, title, styles, main, `<script type="application/ld+json">${data}</script>`);
}

const simpleStyle = `${pageStyle}h2{font-size:1.0625rem;color:inherit;text-align:center;margin:.75rem 0 1.25rem}`;

/** A page of the retailer with a single short text. */
export function simplePage(page: SimplePage): Page {
  const { brand, title, content, style = '' } = page;
  const main =
    `<article><header>${logoImage(brand.logo)}<h1>${e(brand.name)}</h1></header>` +
    `<section>${content}</section></article>`;
  const styles = [`${simpleStyle}${style}${brand.colour ? brandStyle(brand.colour) : ''}`];
  return documentOf(page, `${title} · ${brand.name}`, styles, main);
}
