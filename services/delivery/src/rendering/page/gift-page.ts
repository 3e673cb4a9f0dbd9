import { html, Html } from '@receipts/html';
import { barcodeSvg } from '../images/barcode';
import { mapped, type Steps } from '../in-steps';
import type { GiftView } from '../view/gift-view';
import { htmlPage, type Page } from './html-page';
import { isolated, languages, logoImage, plainSection, row, section, storeLine } from './page-blocks';
import { brandStyle, pageStyle } from './page-style';

interface GiftLinks {
  readonly pdf: string;
  /** The language that the reader has chosen, if any. */
  readonly lang?: string | undefined;
}

const giftStyle = `${pageStyle}.barcode{margin-top:1rem}.barcode svg{width:100%;height:5rem;border-radius:0}.barcode figcaption{font-size:.8125rem;overflow-wrap:anywhere}`;

const returns = ({ labels, until, code }: GiftView): readonly Html[] => [
  ...(until === null
    ? []
    : [
        html`<dl>
          <dt>${labels.returnUntil}</dt>
          <dd>${isolated(until)}</dd>
        </dl>`,
      ]),
  html`<figure class="barcode">
    <div role="img" aria-label="${labels.returnsCode}">${new Html(barcodeSvg(code))}</div>
    <figcaption>${code}</figcaption>
  </figure>`,
];

/** The page that the recipient of a gift sees. It has no structured data, because an order without prices is none. */
export function* giftPageInSteps(view: GiftView, { pdf, lang }: GiftLinks): Steps<Page> {
  const { labels, brand, locale } = view;
  const items = yield* mapped(
    view.items,
    ({ name, quantity }) =>
      html`<li>${row(html`<span class="name">${isolated(name)}</span>`, quantity)}</li>`,
  );
  const query = lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`;
  const main = html`${languages(locale, labels)}
    <article>
      <header>
        ${logoImage(brand.logo)}
        <h1>${brand.name}</h1>
        <p>${labels.giftReceipt}</p>
        <p>${view.date}</p>
      </header>
      ${
        view.message.length > 0 &&
        html`<section>${view.message.map((line) => html`<p>${isolated(line)}</p>`)}</section>`
      }
      ${plainSection(
        labels.items,
        html`<ul>
          ${items}
        </ul>`,
      )}
      ${section(labels.returnsCode, returns(view))} ${section(labels.store, view.store.map(storeLine))}
    </article>
    <nav>
      <a class="button" href="${pdf}${query}">${labels.savePdf}</a>
    </nav>`;
  return htmlPage({
    ...view,
    title: `${labels.giftReceipt} · ${brand.name}`,
    styles: [giftStyle, ...(brand.colour === null ? [] : [brandStyle(brand.colour)])],
    main,
  });
}
