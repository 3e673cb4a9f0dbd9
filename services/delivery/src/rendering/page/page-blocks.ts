import { html, joined, type Html, type HtmlPart } from '@receipts/html';
import { labelLanguage, labelLanguages, type Labels } from '../labels/labels';
import type { Line } from '../view/line';
import type { StoreLine } from '../view/view';

/** @param classes each after a space */
export const row = (label: HtmlPart, amount: string, classes = ''): Html =>
  html`<div class="row${classes}"><span>${label}</span><span>${isolated(amount)}</span></div>`;

/** Texts from the till have their own direction, independent of the page's. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`;

export const lines = (all: readonly Line[], classes = '') =>
  all.map(({ label, amount }) => row(isolated(label), amount, classes));

export const link = (href: string, content: HtmlPart): Html =>
  html`<a href="${href}" rel="noopener noreferrer nofollow">${content}</a>`;

export const soft = (text: string): Html => html`<p class="soft small">${isolated(text)}</p>`;

/** Nothing if there is no content. */
export const section = (title: string, content: readonly Html[]): Html | undefined =>
  content.length === 0
    ? undefined
    : html`<section>
        <h2>${title}</h2>
        ${content}
      </section>`;

/** A section without a visible title; the title is for screen readers. */
export const plainSection = (title: string, content: HtmlPart): Html =>
  html`<section>
    <h2 class="unseen">${title}</h2>
    ${content}
  </section>`;

export const logoImage = (logo: string | null = null): Html | false =>
  logo !== null && html`<img src="${logo}" alt="" />`;

export function storeLine({ text, href }: StoreLine): Html {
  const content = isolated(text);
  return html`<p class="small">${href === null ? content : link(href, content)}</p>`;
}

/** Links to the page in other languages, relative to its own URL. */
export function languages(locale: string, labels: Labels): Html {
  const items = labelLanguages.map((language) => {
    const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
    const current = language === labelLanguage(locale) && html`aria-current="true"`;
    return html`<li>
      <a href="?lang=${language}" lang="${language}" hreflang="${language}" ${current}>${isolated(name)}</a>
    </li>`;
  });
  return html`<nav class="languages" aria-label="${labels.language}">
    <details>
      <summary>${labels.language}</summary>
      <ul>
        ${items}
      </ul>
    </details>
  </nav>`;
}

/** Facts on one line. */
export const dotted = (facts: readonly HtmlPart[]): Html => joined(facts, ' · ');
