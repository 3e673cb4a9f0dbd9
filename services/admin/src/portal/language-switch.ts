import { html, type Html } from '@receipts/html';
import { chooseLanguage, languages, type Language } from '../pages/language';
import { redirectTo } from '../pages/reply';
import { checkSameSite } from '../pages/same-site';
import type { HandlerOf, Portal } from './open-portal';

/** The headers of a request for a page. */
export interface SentHeaders {
  readonly cookie?: string | undefined;
  readonly 'accept-language'?: string | undefined;
}

/** The language of a request: the language in the cookie, otherwise a language that the browser accepts. */
export function requestLanguage(
  { languageCookie }: Pick<Portal, 'languageCookie'>,
  headers: SentHeaders,
  retailerLocale?: string,
): Language {
  const chosen = languageCookie.read(headers.cookie);
  return chooseLanguage({ chosen, acceptLanguage: headers['accept-language'], retailerLocale });
}

/** Buttons for all languages. @param path the page to return to */
export function languageSwitch({ code, t }: Language, path: string, base: string): Html {
  return html`<form method="post" action="${base}/portal/language" class="languages">
    <input type="hidden" name="next" value="${path}" />
    <details>
      <summary><span class="visually-hidden">${t('language')}: </span>${languages[code].name}</summary>
      ${Object.entries(languages).map(
        ([tag, { name }]) =>
          tag !== code &&
          html`<button class="link" name="language" value="${tag}" lang="${tag}">${name}</button>`,
      )}
    </details>
  </form>`;
}

/** Matches pages of the portal. Forms from other sites are rejected, so this only guards against mistakes. */
const portalPath = /^\/portal\/(?!.*\.\.)[\w./?=&%~-]*$/;

export function portalLanguage(deps: Pick<Portal, 'languageCookie'>): HandlerOf<'portalLanguage'> {
  return async ({ headers, body: { language, next = '' } }) => {
    checkSameSite(headers);
    return redirectTo(portalPath.test(next) ? next : '/portal/', [deps.languageCookie.set(language)]);
  };
}
