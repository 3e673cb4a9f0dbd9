import { escapeHtml as e } from '@receipts/html';
import { mapped, type Parts } from '../in-parts';
import { barcodeSvg } from '../images/barcode';
import type { GiftView } from '../view/gift-view';
import {
  documentOf,
  isolated,
  languages,
  logoImage,
  plainSection,
  row,
  section,
  storeLine,
  type Page,
} from './page';
import { brandStyle, pageStyle } from './page-style';

interface GiftLinks {
  readonly pdf: string;
  /** The language that the reader has chosen, if any. */
  readonly lang?: string | undefined;
}

const giftStyle = `${pageStyle}.barcode svg{width:100%;height:5rem;border-radius:0}.barcode figcaption{font-size:.8125rem;overflow-wrap:anywhere}`;

function returns({ labels, until, code }: GiftView): string {
  const day = until === null ? '' : `<dl><dt>${e(labels.returnUntil)}</dt><dd>${isolated(until)}</dd></dl>`;
  return (
    `${day}<figure class="barcode"><div role="img" aria-label="${e(labels.returnsCode)}">${barcodeSvg(code)}</div>` +
    `<figcaption>${e(code)}</figcaption></figure>`
  );
}

/** The page that the recipient of a gift sees. It has no structured data, because an order without prices is none. */
export function* giftPageInParts(view: GiftView, { pdf, lang }: GiftLinks): Parts<Page> {
  const { labels, brand, locale } = view;
  const items = yield* mapped(
    view.items,
    ({ name, quantity }) => `<li>${row(`<span class="name">${isolated(name)}</span>`, quantity)}</li>`,
  );
  const message = view.message.map((line) => `<p>${isolated(line)}</p>`).join('');
  const query = lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`;
  const main =
    `<article><header>${logoImage(brand.logo)}<h1>${e(brand.name)}</h1><p>${e(labels.giftReceipt)}</p><p>${e(view.date)}</p></header>` +
    (message === '' ? '' : `<section>${message}</section>`) +
    plainSection(labels.items, `<ul>${items.join('')}</ul>`) +
    section(labels.returnsCode, returns(view)) +
    section(labels.store, view.store.map(storeLine).join('')) +
    `</article><nav><a class="button" href="${e(pdf)}${query}">${e(labels.savePdf)}</a>${languages(locale, labels)}</nav>`;
  const styles = [giftStyle, ...(brand.colour === null ? [] : [brandStyle(brand.colour)])];
  return documentOf(view, `${labels.giftReceipt} · ${brand.name}`, styles, main);
}
