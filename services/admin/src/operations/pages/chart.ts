import { html, type Html } from '../../pages/html';
import { countText } from './formats';
import type { BodyOf } from './page';

export type Series = BodyOf<'getThroughput'>['services'][number];

const width = 720;
const height = 140;
const foot = 18;
/** All stored intervals, with the latest at the right edge. */
const slots = 180;

const rate = (count: number, seconds: number) => count / seconds;
const rateText = (perSecond: number) =>
  perSecond >= 10 || perSecond === 0 ? countText(Math.round(perSecond)) : perSecond.toFixed(1);

/** The smallest of 1, 2, 5, 10, 20 ... that is not below a value, so that the scale seldom changes. */
export function niceCeiling(figure: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(figure, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= figure) ?? 10 * power;
}

function line(values: readonly number[], top: number): string {
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

/** A chart of responses and failures per second in the last half hour, also as text for screen readers. */
export function throughputChart(series: Series | undefined, seconds: number): Html {
  const points = series?.points ?? [];
  const done = points.map((point) => rate(point.done, seconds));
  const failed = points.map((point) => rate(point.failed, seconds));
  const top = niceCeiling(Math.max(0, ...done));
  const peak = rateText(Math.max(0, ...done));
  const failures = points.reduce((sum, point) => sum + point.failed, 0);
  const words = `Requests per second: ${rateText(done.at(-1) ?? 0)} now, ${peak} at most in the last half hour; ${countText(failures)} failed.`;
  const answered = line(done, top);
  return html`<figure class="chart">
    <figcaption>${words}</figcaption>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}" preserveAspectRatio="none">
      <line class="grid" x1="0" x2="${width}" y1="6" y2="6" />
      <line
        class="grid"
        x1="0"
        x2="${width}"
        y1="${(height - foot + 6) / 2}"
        y2="${(height - foot + 6) / 2}"
      />
      <line class="axis" x1="0" x2="${width}" y1="${height - foot}" y2="${height - foot}" />
      ${
        points.length > 1 &&
        html`<polygon class="area" points="${areaOf(answered)}" />
          <polyline class="done" points="${answered}" />
          ${failures > 0 && html`<polyline class="failed" points="${line(failed, top)}" />`}`
      }
    </svg>
    <p class="scale">
      <span>30 min ago</span><span>top line: ${countText(top)} a second</span><span>now</span>
    </p>
  </figure>`;
}
