import { attachmentHref, receiptFormats, type ReceiptFormat } from '@receipts/contracts';
import { html, Html } from '@receipts/html';
import { fiscalQrSvg } from '../images/qr';
import { mapped, type Steps } from '../in-steps';
import type { ItemView, ReceiptView } from '../view/view';
import { htmlPage, type Page } from './html-page';
import {
  dotted,
  isolated,
  languages,
  lines,
  link,
  logoImage,
  plainSection,
  row,
  section,
  soft,
  storeLine,
} from './page-blocks';
import { brandStyle, pageStyle } from './page-style';
import { structuredData, type StructuredReceipt } from './structured-data';

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

const item = (one: ItemView): Html =>
  html`<li>
    ${row(html`<span class="name">${isolated(one.name)}</span>`, one.total)}
    ${one.amounts !== null && soft(one.amounts)} ${one.details.map(soft)}
    ${lines(one.discounts, ' small good')}
    ${one.returned !== null && html`<p class="small good">${isolated(one.returned)}</p>`}
  </li>`;

/** Strikes through content that is no longer valid. */
const struck = ({ isVoided }: ReceiptView, content: Html) => (isVoided ? html`<s>${content}</s>` : content);

/** A class that makes a long amount small enough to fit on one line on a phone. */
const amountSize = ({ length }: string) => (length > 14 ? ' longer' : length > 9 ? ' long' : '');

function head(view: ReceiptView): Html {
  const { brand, labels, total } = view;
  const notes = [...(view.isVoided ? [labels.voided] : []), ...(view.isCopy ? [labels.copy] : [])];
  return html`<header>
    ${logoImage(brand.logo)}
    <h1>${brand.name}</h1>
    <p class="amount${amountSize(total.amount)}">${struck(view, isolated(total.amount))}</p>
    <p>${view.date}</p>
    ${notes.map((note) => html`<p class="badge">${note}</p>`)} ${view.isIncomplete && soft(labels.incomplete)}
    ${brand.header.map(soft)}
  </header>`;
}

const payments = (view: ReceiptView): readonly Html[] =>
  view.payments.map(
    ({ label, amount, details }) =>
      html`${row(isolated(label), amount)}
      ${details.length > 0 && html`<p class="soft small">${dotted(details.map(isolated))}</p>`}`,
  );

const attachments = (view: ReceiptView, links?: PageLinks): readonly Html[] =>
  view.attachments.map(({ label, name }) => {
    const content = isolated(name);
    return html`<p class="small">${links ? link(attachmentHref(links.page, label), content) : content}</p>`;
  });

/** The texts and the code of the fiscal device. A code that is too long for a QR code is shown as text. */
function fiscal({ fiscal: { texts, code }, labels }: ReceiptView): readonly Html[] {
  if (code === null) return texts.map(soft);
  const svg = fiscalQrSvg(code);
  const drawn =
    svg === undefined
      ? html`<p class="soft small code">${code}</p>`
      : html`<figure class="fiscal" role="img" aria-label="${labels.fiscalCode}">${new Html(svg)}</figure>`;
  return [...texts.map(soft), drawn];
}

function footer({ brand }: ReceiptView): Html | undefined {
  const links = brand.links.map(({ name, href }) => link(href, name));
  if (brand.footer.length + links.length === 0) return undefined;
  return html`<footer>
    ${brand.footer.map(soft)} ${links.length > 0 && html`<p>${dotted(links)}</p>`}
  </footer>`;
}

const stub = ({ qrSvg }: PageLinks, { scan }: ReceiptView['labels']): Html =>
  html`<section class="stub"><figure role="img" aria-label="${scan}">${new Html(qrSvg)}</figure></section>`;

/** Names that are the same in all languages. */
const formatNames: Readonly<Record<ReceiptFormat, string>> = {
  json: 'JSON',
  csv: 'CSV',
  ubl: 'UBL (EN 16931)',
  ekabs: 'EKaBS',
};

/** The formats in which the reader can take the receipt along as data. */
function takeAlong({ page }: PageLinks, labels: ReceiptView['labels']): Html {
  const items = receiptFormats.map(
    (format) => html`<li><a href="${page}.${format}" rel="nofollow">${formatNames[format]}</a></li>`,
  );
  return html`<details class="take">
    <summary class="button">${labels.takeAlong}</summary>
    <ul>
      ${items}
    </ul>
  </details>`;
}

function navigation(links: PageLinks, { labels }: ReceiptView): Html {
  const { pdf, proof, lang, wallets = {} } = links;
  const passes = Object.entries(wallets).map(
    ([wallet, href]) =>
      html`<a class="button wallet" href="${href}" rel="noreferrer"
        >${labels.addToWallet.replace('{wallet}', wallet)}</a
      >`,
  );
  const query = lang === undefined ? '' : `lang=${encodeURIComponent(lang)}`;
  const a4 = query === '' ? pdf : `${pdf}?${query}`;
  const roll = `${pdf}?format=roll${query === '' ? '' : `&${query}`}`;
  return html`<nav>
    <a class="button" href="${a4}">${labels.savePdf}</a>${passes}
    <p><a href="${roll}">${labels.savePdfRoll}</a></p>
    ${takeAlong(links, labels)}
    <p><a href="${proof}">${labels.proof}</a></p>
  </nav>`;
}

/**
 * The page that a consumer sees. It needs no script and loads only the retailer's logo. `lang` is the language of the
 * labels; names and addresses are shown as sent by the till.
 * @param links absent for a page without its own links
 */
export function* pageInSteps(view: ReceiptView, receipt: StructuredReceipt, links?: PageLinks): Steps<Page> {
  const { labels, brand } = view;
  const data = yield* structuredData(receipt);
  const items = yield* mapped(view.items, item);
  const facts = view.facts.map(
    ({ label, value }) =>
      html`<dt>${label}</dt>
        <dd>${isolated(value)}</dd>`,
  );
  const total = row(view.total.label, view.total.amount, ' total');
  const main = html`${links && languages(view.locale, labels)}
    <article${view.isVoided && html` class="voided"`}>
      ${head(view)}
      ${plainSection(
        labels.items,
        html`<ul>
          ${items}
        </ul>`,
      )}
      ${plainSection(labels.total, [lines(view.sums), total, lines(view.taxes, ' small soft')])}
      ${section(labels.payment, payments(view))}
      ${section(labels.store, view.store.map(storeLine))}
      ${section(labels.receipt, [html`<dl>${facts}</dl>`])}
      ${section(labels.attachments, attachments(view, links))}
      ${section(labels.fiscalCode, fiscal(view))}
      ${links && stub(links, labels)} ${footer(view)}
    </article>
    ${links && navigation(links, view)}`;
  return htmlPage({
    ...view,
    title: `${labels.receipt} · ${brand.name} · ${view.total.amount}`,
    styles: [pageStyle, ...(brand.colour === null ? [] : [brandStyle(brand.colour)])],
    main,
    head: new Html(`<script type="application/ld+json">${data}</script>`),
  });
}
