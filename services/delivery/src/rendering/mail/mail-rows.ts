import { html, joined, type Html } from '@receipts/html';
import type { Line } from '../view/line';

/** The layout of the parts of an e-mail. */
export interface Layout {
  /** The side of the amounts. Outlook for Windows does not support `text-align: end`. */
  readonly end: 'left' | 'right';
}

/** Mail programs truncate e-mails above about 100 kB. The page shows everything that is omitted here. */
export const partBytesMax = { items: 36_000, other: 7_000 } as const;

const more = html`<tr>
  <td>…</td>
</tr>`;

export const font = 'Arial,Helvetica,sans-serif';
export const styles = {
  cell: `font:15px/1.5 ${font};padding:2px 0;vertical-align:top`,
  amount: 'text-align:end;white-space:nowrap;padding-inline-start:16px',
  soft: 'font-size:13px;opacity:.75',
  total: 'font-size:20px;font-weight:bold',
} as const;

/** As many rows as fit, and a note if there are more. Rows that do not fit are not rendered. */
export function fitting(rows: Iterable<Html>, bytesMax: number = partBytesMax.other): readonly Html[] {
  const kept: Html[] = [];
  let left = bytesMax;
  for (const row of rows) {
    left -= Buffer.byteLength(row.text);
    if (left < 0) return [...kept, more];
    kept.push(row);
  }
  return kept;
}

/** The line breaks keep lines below the limit of SMTP. */
export const onLines = (rows: readonly Html[]) => joined(rows, '\n');

export const isolated = (text: string) => html`<bdi>${text}</bdi>`;

export const row =
  ({ end }: Layout, more = '') =>
  ({ label, amount }: Line) => {
    const style = `${styles.cell}${more}`;
    return html`<tr>
      <td style="${style}">${isolated(label)}</td>
      <td align="${end}" style="${style};${styles.amount}">${isolated(amount)}</td>
    </tr>`;
  };

export const softRow = (layout: Layout) => row(layout, `;${styles.soft}`);

export function soft(text: string, href: string | null = null): Html {
  const content = isolated(text);
  return html`<tr>
    <td colspan="2" style="${styles.cell};${styles.soft}">
      ${href === null ? content : html`<a href="${href}" style="color:inherit">${content}</a>`}
    </td>
  </tr>`;
}
