import { html, type Html } from './html';

/** A state as a word; the colour carries no additional information. */
export const badge = (kind: 'good' | 'bad' | 'warn' | 'plain', text: string): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

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
