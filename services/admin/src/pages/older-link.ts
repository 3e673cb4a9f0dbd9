import { html, type Html } from '@receipts/html';
import type { Language } from './language';

/** A parameter of a link in a response of the API. */
export const parameterOf = (link: { readonly href: string } | undefined, name: string): string | undefined =>
  link && (new URLSearchParams(link.href.split('?')[1]).get(name) ?? undefined);

/** A link to the next page of a list; nothing on the last page. */
export const olderLink = (href: string | undefined, { t }: Language): Html | undefined =>
  href === undefined
    ? undefined
    : html`<nav class="pages" aria-label="${t('more')}">
        <span></span><a class="button quiet" rel="next" href="${href}">${t('older')}</a>
      </nav>`;
