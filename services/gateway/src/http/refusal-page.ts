import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import type { ErrorPage } from '@receipts/kernel';
import { html, Html } from '@receipts/html';
import { pageTexts, type PageTexts } from './page-texts';

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}' +
  'h1{font-size:1.5rem;line-height:1.35}small{opacity:.7}';
const styleElement = new Html(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/** The site that a page belongs to: its shell, and the way back. */
interface Site {
  readonly home: string;
  readonly stylesheet: string;
}

/** The portal or the operations pages; undefined for other paths. @param basePath the public path prefix */
export function siteOf(url: string, basePath: string): Site | undefined {
  const [, name] = /^\/(portal|operator)(?=[/?]|$)/.exec(url) ?? [];
  if (name === undefined) return undefined;
  const stylesheet = `${basePath}/portal/portal.css`;
  return { home: `${basePath}/${name === 'portal' ? 'portal/' : name}`, stylesheet };
}

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he']);
/** Tags of the same written language as another tag. */
const synonyms: Readonly<Record<string, string>> = {
  no: 'nb',
  nn: 'nb',
  'zh-TW': 'zh-Hant',
  'zh-HK': 'zh-Hant',
};
const available = [...Object.keys(pageTexts), ...Object.keys(synonyms)];
const english = pageTexts['en'] as PageTexts;

/** The language of the texts that a reader prefers; English by default. */
function languageFor(acceptLanguage: string): string {
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  const accepted = acceptLanguage === '' ? 'en' : (negotiator.language(available) ?? 'en');
  return synonyms[accepted] ?? accepted;
}

const textByStatus: Readonly<Record<number, keyof PageTexts>> = {
  403: 'forbidden',
  404: 'notFound',
  429: 'tooMany',
  500: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

export interface Refusal {
  readonly status: number;
  /** The error in the words of the API. */
  readonly description: string;
  readonly requestId: string;
}

/**
 * An error as an HTML page without any brand, in the style of its site and with a way back, for a person who followed a link, in the language that the person prefers.
 * The description is shown only where the status alone does not say what is wrong.
 */
export function refusalPage(
  { status, description, requestId }: Refusal,
  acceptLanguage = '',
  site?: Site,
): ErrorPage {
  const language = languageFor(acceptLanguage);
  const text = textByStatus[status] ?? 'failed';
  const heading = (pageTexts[language] ?? english)[text];
  return {
    html: html`<!doctype html>
      <html lang="${language}" dir="${rightToLeft.has(language) ? 'rtl' : 'ltr'}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${heading}</title>
          ${site ? html`<link rel="stylesheet" href="${site.stylesheet}" />` : styleElement}
        </head>
        <body>
          <main>
            <h1>${heading}</h1>
            ${text === 'failed' && html`<p lang="en" dir="ltr">${description}</p>`}
            ${
              site &&
              html`<p>
                <a class="button quiet" href="${site.home}">${(pageTexts[language] ?? english).back}</a>
              </p>`
            }
            <p><small dir="ltr">${status} · ${requestId}</small></p>
          </main>
        </body>
      </html>`.text,
    language,
    contentSecurityPolicy: `default-src 'none'; style-src ${site ? "'self'" : `'sha256-${styleHash}'`}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
