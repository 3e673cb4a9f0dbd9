import { html, type Html } from '@receipts/html';
import type { Language } from './language';

export interface HtmlDocument {
  readonly language: Language;
  readonly title: string;
  /** The name of the site, appended to the title. */
  readonly area: string;
  /** Paths on the same origin. */
  readonly stylesheets: readonly string[];
  readonly scripts: readonly string[];
  readonly header: Html;
  /** True if the header is a sidebar. */
  readonly hasSidebar: boolean;
  readonly main: Html;
}

/** The frame of all pages. */
export function htmlDocument(page: HtmlDocument): Html {
  const { language, title, area, stylesheets, scripts, header, hasSidebar, main } = page;
  return html`<!doctype html>
    <html lang="${language.code}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${area}</title>
        ${stylesheets.map((href) => html`<link rel="stylesheet" href="${href}" />`)}
        ${scripts.map((src) => html`<script src="${src}" defer></script>`)}
      </head>
      <body ${hasSidebar && html`class="console"`}>
        <a class="skip" href="#main">${language.t('skip')}</a>
        ${header}
        <main id="main" tabindex="-1">${main}</main>
      </body>
    </html>`;
}
