import { html, type Html } from '@receipts/html';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as text. */
  readonly text: string;
}

/** The width of a bar's drawing, which is stretched to the room that the page has. */
const width = 1000;

/**
 * A bar chart that needs no script. The texts are texts of the page, so that they are readable on a phone. The table
 * next to it contains the same figures, so assistive technology is told only the title.
 */
export function totalsChart(title: string, bars: readonly Bar[]): Html {
  const least = Math.min(0, ...bars.map(({ value }) => value));
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const span = most - least || 1;
  const at = (value: number) => Math.round((width * (value - least)) / span);
  const rows = bars.map(({ label, value, text }) => {
    const left = Math.min(at(0), at(value));
    const length = Math.max(2, Math.abs(at(value) - at(0)));
    return html`<div>
      <span class="name">${label}</span>
      <svg viewBox="0 0 ${width} 1" preserveAspectRatio="none">
        <rect x="${left}" y="0" width="${length}" height="1" />
      </svg>
      <span class="value">${text}</span>
    </div>`;
  });
  return html`<div class="bars" role="img" aria-label="${title}">${rows}</div>`;
}
