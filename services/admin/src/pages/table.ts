import { html, type Html } from '@receipts/html';

/** A state as a word; the colour carries no additional information. */
export const badge = (kind: 'good' | 'bad' | 'warn' | 'plain', text: string): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/** An entry in a list of facts; nothing if there is no value. */
export const fact = (name: string, value: Html | string | null | undefined) =>
  value &&
  html`<dt>${name}</dt>
    <dd>${value}</dd>`;

/** The heading of a column of texts or of numbers. */
export type Column = string | { readonly numbers: string };

interface TableOptions {
  readonly className?: string;
  /** The column that names the row. Defaults to the first. */
  readonly rowHead?: number;
}

/** A table whose rows become cards on narrow screens, each cell next to its column's heading. */
export function table(
  labelledBy: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
  { className, rowHead = 0 }: TableOptions = {},
): Html {
  const heads = columns.map((column) => (typeof column === 'string' ? column : column.numbers));
  const kinds = columns.map((column) => typeof column === 'object' && html`class="number"`);
  const cell = (content: Html | string, at: number) => {
    const inside = html`<span>${content}</span>`;
    return at === rowHead
      ? html`<th scope="row" data-head="${heads[at]}" ${kinds[at]}>${inside}</th>`
      : html`<td data-head="${heads[at]}" ${kinds[at]}>${inside}</td>`;
  };
  return html`<table
    class="wide${className !== undefined && ` ${className}`}"
    aria-labelledby="${labelledBy}"
  >
    <thead>
      <tr>
        ${heads.map((head, at) => html`<th scope="col" ${kinds[at]}>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map(cell)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
