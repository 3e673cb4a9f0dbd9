import { html, type Html } from '@receipts/html';
import { momentText, spanText } from './formats';

/** A time, and how long ago it was. */
export function ago(timestamp: string | null, now: Date): Html {
  if (timestamp === null) return html`<span class="soft">not known</span>`;
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  return html`<time datetime="${timestamp}">${momentText(timestamp)}</time
    ><small>${spanText(seconds)} ago</small>`;
}

/** The address of the next page, from the link in an endpoint's response. */
export function olderAddress(path: string, href: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  const given = new URLSearchParams(href.split('?')[1]);
  given.delete('count');
  return `${path}?${given.toString()}`;
}

/** Names the API endpoint that returns the same data. */
export const asJson = (path: string, method = 'GET'): Html =>
  html`<p class="soft">API: <code>${method} ${path}</code> with the operator's token.</p>`;
