import { html, type Html } from '../../pages/html';
import { momentText, spanText } from './formats';

/** A time, and how long ago it was. */
export function ago(timestamp: string | null, now: Date): Html {
  if (timestamp === null) return html`<span class="soft">not known</span>`;
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  return html`<time datetime="${timestamp}">${momentText(timestamp)}</time
    ><small>${spanText(seconds)} ago</small>`;
}

/** An entry in a list of facts; nothing if there is no value. */
export const fact = (name: string, value: Html | string | null | undefined) =>
  value &&
  html`<dt>${name}</dt>
    <dd>${value}</dd>`;

/** A link to the next page, from the link in an endpoint's response. */
export function olderLink(path: string, href: string | undefined): Html | undefined {
  if (href === undefined) return undefined;
  const given = new URLSearchParams(href.slice(href.indexOf('?') + 1));
  given.delete('count');
  return html`<nav class="pages" aria-label="More">
    <span></span><a class="button quiet" rel="next" href="${path}?${given.toString()}">Older</a>
  </nav>`;
}

/** Names the API endpoint that returns the same data. */
export const asJson = (path: string, method = 'GET'): Html =>
  html`<p class="soft">API: <code>${method} ${path}</code> with the operator's token.</p>`;
