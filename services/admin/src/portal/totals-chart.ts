import { html, type Html } from '../pages/html';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as text. */
  readonly text: string;
}

const width = 640;
const rowHeight = 26;
const barHeight = 16;
const labelWidth = 150;
const textWidth = 120;
const labelLengthMax = 20;

const shortened = (label: string) =>
  label.length > labelLengthMax ? `${label.slice(0, labelLengthMax - 1)}…` : label;

/** A bar chart as an image that needs no script. The table next to it contains the same figures. */
export function totalsChart(title: string, bars: readonly Bar[]): Html {
  const least = Math.min(0, ...bars.map(({ value }) => value));
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const span = most - least || 1;
  const room = width - labelWidth - textWidth;
  const at = (value: number) => Math.round(labelWidth + (room * (value - least)) / span);
  const height = bars.length * rowHeight;
  const rows = bars.map(({ label, value, text }, n) => {
    const y = n * rowHeight;
    const left = Math.min(at(0), at(value));
    return html`<text class="name" x="${labelWidth - 8}" y="${y + barHeight}" text-anchor="end"
        >${shortened(label)}</text
      >
      <rect
        class="bar"
        x="${left}"
        y="${y + 3}"
        width="${Math.max(1, Math.abs(at(value) - at(0)))}"
        height="${barHeight}"
        rx="2"
      />
      <text class="value" x="${width}" y="${y + barHeight}" text-anchor="end">${text}</text>`;
  });
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
    ${rows}
    <line x1="${at(0)}" y1="0" x2="${at(0)}" y2="${height}" />
  </svg>`;
}
