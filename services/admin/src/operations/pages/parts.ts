import { html, type Html } from '../../pages/html';
import { momentText, spanText } from './formats';

/** A state as a word; the colour carries no additional information. */
export const badge = (kind: 'good' | 'bad' | 'warn' | 'plain', text: string): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/** A time, and how long ago it was. */
export function ago(timestamp: string | null, now: Date): Html {
  if (timestamp === null) return html`<span class="soft">not known</span>`;
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  return html`<time datetime="${timestamp}">${momentText(timestamp)}</time
    ><small>${spanText(seconds)} ago</small>`;
}

export interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
}

/** A table whose rows become cards on narrow screens, each cell next to its column's heading. */
export function table(
  labelledBy: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const cell = (column: Column | undefined, content: Html | string, at: number) => {
    const kind = column?.isNumber === true && html` class="number"`;
    const inside = html`<span>${content}</span>`;
    return at === 0
      ? html`<th scope="row" data-head="${column?.head}" ${kind}>${inside}</th>`
      : html`<td data-head="${column?.head}" ${kind}>${inside}</td>`;
  };
  return html`<table class="wide" aria-labelledby="${labelledBy}">
    <thead>
      <tr>
        ${columns.map(({ head, isNumber }) => html`<th scope="col" ${isNumber && html`class="number"`}>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((content, at) => cell(columns[at], content, at))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A link to the next page, from the link in an endpoint's answer. */
export function olderLink(path: string, href: string | undefined): Html | undefined {
  if (href === undefined) return undefined;
  const given = new URLSearchParams(href.slice(href.indexOf('?') + 1));
  given.delete('count');
  return html`<nav class="pages" aria-label="More">
    <span></span><a class="button quiet" rel="next" href="${path}?${given.toString()}">Older</a>
  </nav>`;
}

/** The endpoint with the page's data, for programs. */
export const asJson = (path: string, method = 'GET'): Html =>
  html`<p class="soft">API: <code>${method} ${path}</code> with the operator's token.</p>`;
