import { html, type Html } from '@receipts/html';
import { countText } from './formats';
import type { BodyOf } from './page';

export type Series = BodyOf<'getThroughput'>['services'][number];

const width = 720;
const height = 140;
const foot = 18;

const rate = (count: number, seconds: number) => count / seconds;
/** `0`, `<0.1`, `0.3`, `12`. */
export function rateText(perSecond: number): string {
  if (perSecond >= 10 || perSecond === 0) return countText(Math.round(perSecond));
  return perSecond < 0.1 ? '<0.1' : perSecond.toFixed(1);
}

/** The smallest of 1, 2, 5, 10, 20 ... that is not below a value, so that the scale seldom changes. */
export function niceCeiling(figure: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(figure, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= figure) ?? 10 * power;
}

function line(values: readonly number[], top: number, slots: number): string {
  const step = width / (slots - 1);
  const first = slots - values.length;
  return values
    .map((value, at) => {
      const y = height - foot - (value / top) * (height - foot - 6);
      return `${((first + at) * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}

function areaOf(points: string): string {
  const first = points.slice(0, points.indexOf(','));
  const last = points.slice(points.lastIndexOf(' ') + 1);
  const base = height - foot;
  return `${first},${base} ${points} ${last.slice(0, last.indexOf(','))},${base}`;
}

interface Lines {
  /** What the chart shows, in words. */
  readonly words: string;
  /** The first line has an area below it. Others are named after their style. */
  readonly lines: readonly { readonly className: string; readonly values: readonly number[] }[];
  /** The number of values for the whole width; the latest is at the right edge. */
  readonly slots: number;
  /** The time of the left edge. */
  readonly since: string;
  /** The unit of the values. */
  readonly unit: string;
}

/** A chart of lines, whose meaning is also in its caption. */
export function lineChart({ words, lines, slots, since, unit }: Lines): Html {
  const [first] = lines;
  const top = niceCeiling(Math.max(0, ...lines.flatMap(({ values }) => values)));
  const middle = (height - foot + 6) / 2;
  return html`<figure class="chart">
    <figcaption>${words}</figcaption>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}" preserveAspectRatio="none">
      <line class="grid" x1="0" x2="${width}" y1="6" y2="6" />
      <line class="grid" x1="0" x2="${width}" y1="${middle}" y2="${middle}" />
      <line class="axis" x1="0" x2="${width}" y1="${height - foot}" y2="${height - foot}" />
      ${
        first &&
        first.values.length > 1 &&
        html`<polygon class="area" points="${areaOf(line(first.values, top, slots))}" /> ${lines.map(
            ({ className, values }) =>
              html`<polyline class="${className}" points="${line(values, top, slots)}" />`,
          )}`
      }
    </svg>
    <p class="scale"><span>${since}</span><span>top line: ${countText(top)} ${unit}</span><span>now</span></p>
  </figure>`;
}

/** A chart of responses and failures per second in the last half hour. */
export function throughputChart(series: Series | undefined, seconds: number): Html {
  const points = series?.points ?? [];
  const done = points.map((point) => rate(point.done, seconds));
  const failed = points.map((point) => rate(point.failed, seconds));
  const peak = rateText(Math.max(0, ...done));
  const failures = points.reduce((sum, point) => sum + point.failed, 0);
  return lineChart({
    words: `Requests per second: ${rateText(done.at(-1) ?? 0)} now, ${peak} at most in the last half hour; ${countText(failures)} failed.`,
    lines: [
      { className: 'done', values: done },
      ...(failures > 0 ? [{ className: 'failed', values: failed }] : []),
    ],
    slots: 180,
    since: '30 min ago',
    unit: 'a second',
  });
}

const sparkWidth = 120;
const sparkHeight = 24;

/** A small line for a row of a table, whose figures are beside it. */
export function sparkline(values: readonly number[], slots: number): Html {
  const top = Math.max(1, ...values);
  const x = (at: number) => ((slots - values.length + at) * sparkWidth) / (slots - 1);
  const y = (value: number) => sparkHeight - 1 - (value / top) * (sparkHeight - 2);
  const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return html`<svg class="spark" viewBox="0 0 ${sparkWidth} ${sparkHeight}" aria-hidden="true">
    <polyline points="${points}" />
  </svg>`;
}
