import { createHash } from 'node:crypto';
import { html, Html, type HtmlPart } from '@receipts/html';
import { directionOf } from '../labels/locale';
import { logoImage } from './page-blocks';
import { brandStyle, pageStyle } from './page-style';

export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** The hash with which a Content-Security-Policy allows an inline style. */
const styleHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The part of a Content-Security-Policy that allows the logo. */
const imageSource = (logo: string | null = null) =>
  logo === null ? '' : `; img-src ${new URL(logo).origin}`;

export interface HtmlPage {
  readonly locale: string;
  readonly brand: { readonly name: string; readonly colour?: string | null; readonly logo?: string | null };
  readonly title: string;
  /** CSS. */
  readonly styles: readonly string[];
  readonly main: Html;
  /** Additional elements for the head of the document. */
  readonly head?: HtmlPart;
  /** The `form-action` of the Content-Security-Policy; by default no forms are allowed. */
  readonly formAction?: string | undefined;
}

/** A page for consumers. It has no scripts, and loads only the retailer's logo. */
export function htmlPage(page: HtmlPage): Page {
  const { locale, brand, title, styles, main, head, formAction = "'none'" } = page;
  return {
    html: html`<!doctype html>
      <html lang="${locale}" dir="${directionOf(locale)}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <meta name="robots" content="noindex,nofollow" />
          <meta name="referrer" content="no-referrer" />
          <title>${title}</title>
          ${styles.map((style) => new Html(`<style>${style}</style>`))} ${head}
        </head>
        <body>
          <main>${main}</main>
        </body>
      </html>`.text,
    contentSecurityPolicy:
      `default-src 'none'; style-src ${styles.map(styleHash).join(' ')}${imageSource(brand.logo)}; base-uri 'none'; ` +
      `form-action ${formAction}; frame-ancestors 'none'`,
  };
}

export interface SimplePage extends Omit<HtmlPage, 'styles' | 'main'> {
  readonly content: HtmlPart;
  /** Additional CSS. */
  readonly style?: string;
}

const simpleStyle = `${pageStyle}h2{font-size:1.0625rem;color:inherit;text-align:center;margin:.75rem 0 1.25rem}`;

/** A page of the retailer with a single short text. */
export function simplePage({ content, style = '', ...page }: SimplePage): Page {
  const { brand, title } = page;
  return htmlPage({
    ...page,
    title: `${title} · ${brand.name}`,
    styles: [`${simpleStyle}${style}${brand.colour ? brandStyle(brand.colour) : ''}`],
    main: html`<article>
      <header>
        ${logoImage(brand.logo)}
        <h1>${brand.name}</h1>
      </header>
      <section>${content}</section>
    </article>`,
  });
}
