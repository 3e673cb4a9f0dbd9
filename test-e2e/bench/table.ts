import { median } from '../harness/statistics';
import type { Measurement } from './measure';

/** A row of the table: the measurements of each subject, one per round. The platform is the first subject. */
export interface Row {
  readonly name: string;
  readonly rounds: ReadonlyMap<string, readonly Measurement[]>;
}

/** The median over the rounds of the ratio of rates. The speed of a machine varies, so each round is compared alone. */
function ratio(row: Row, theirs: string): string {
  const [ours = []] = row.rounds.values();
  const other = row.rounds.get(theirs);
  if (!other) return '';
  return median(ours.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? NaN))).toFixed(2);
}

const whole = new Intl.NumberFormat('en');

/** The cells of a row: path, rate, p50, p99, CPU time of a request, and the rate compared with each peer. */
function cells(row: Row, peers: readonly string[]): string[] {
  const [ours = []] = row.rounds.values();
  const of = (key: (one: Measurement) => number) => median(ours.map(key));
  return [
    row.name,
    `${whole.format(Math.round(of(({ perSecond }) => perSecond)))}/s`,
    of(({ p50Ms }) => p50Ms).toFixed(1),
    of(({ p99Ms }) => p99Ms).toFixed(1),
    of(({ cpuMs, requests }) => cpuMs / requests).toFixed(2),
    ...peers.map((peer) => ratio(row, peer)),
  ];
}

/** The rows as a Markdown table. */
export function table(rows: readonly Row[], peers: readonly string[]): string {
  const head = ['path', 'platform', 'p50 ms', 'p99 ms', 'CPU ms', ...peers.map((peer) => `${peer} = 1`)];
  const all = [head, ...rows.map((row) => cells(row, peers))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(head), rule, ...rows.map((row) => line(cells(row, peers)))].join('\n');
}
