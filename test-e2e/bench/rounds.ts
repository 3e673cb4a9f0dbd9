import { median } from '../harness/statistics';
import { measure, type Measurement } from './measure';
import type { LoadPlan } from './load';
import type { Subject } from './subjects';

/** A row of the report with the measurements of each subject per round. */
export interface Row {
  readonly name: string;
  readonly rounds: ReadonlyMap<string, readonly Measurement[]>;
}

interface CountedRow extends Row {
  /** The number of requests that each subject has answered as expected, including the warm-up. */
  readonly answered: ReadonlyMap<string, number>;
}

export interface RoundOptions {
  readonly rounds: number;
  readonly plan: (subject: Subject) => LoadPlan;
  /** The duration of the unmeasured load before each measurement, during which the subject compiles its code. */
  readonly warmUpSeconds: number;
}

/**
 * Measures every subject once per round. The speed of the machine varies over time, so only measurements of the same
 * round are compared.
 */
export async function measureRounds(
  name: string,
  subjects: readonly Subject[],
  options: RoundOptions,
): Promise<CountedRow> {
  const rounds = new Map<string, Measurement[]>(subjects.map((subject) => [subject.name, []]));
  const answered = new Map<string, number>();
  const count = ({ name: subject }: Subject, { requests, unexpected }: Measurement) =>
    answered.set(subject, (answered.get(subject) ?? 0) + requests - unexpected);
  for (let round = 0; round < options.rounds; round++) {
    for (const subject of subjects) {
      const warmUp = { ...options.plan(subject), seconds: options.warmUpSeconds };
      if (round === 0) count(subject, await measure(warmUp, []));
      const measured = await measure(options.plan(subject), subject.watched());
      count(subject, measured);
      rounds.get(subject.name)?.push(measured);
    }
  }
  return { name, rounds, answered };
}

/** The median over the rounds of the ratio between two subjects. */
export function ratioOf(row: Row, ours: string, theirs: string): number {
  const other = row.rounds.get(theirs) ?? [];
  return median(
    (row.rounds.get(ours) ?? []).map((one, round) => one.perSecond / (other[round]?.perSecond ?? NaN)),
  );
}

const of = (all: readonly Measurement[], key: (one: Measurement) => number) => median(all.map(key));

export function printRow(row: Row): void {
  console.log(`\n${row.name}`);
  for (const [subject, all] of row.rounds) {
    const unexpected = all.reduce((sum, one) => sum + one.unexpected, 0);
    const speed = `${String(Math.round(of(all, (one) => one.perSecond))).padStart(7)} req/s`;
    const times = `p50 ${of(all, (one) => one.p50Ms).toFixed(2)} ms  p99 ${of(all, (one) => one.p99Ms).toFixed(2)} ms`;
    console.log(`  ${subject.padEnd(9)}${speed}  ${times}  unexpected ${unexpected}`);
    const first = all.find((one) => one.firstUnexpected !== undefined)?.firstUnexpected;
    if (first !== undefined) console.log(`    first unexpected: ${first.slice(0, 300)}`);
    const names = all[0]?.costs.map(({ name }) => name) ?? [];
    const costs = names.map((name) => {
      const costsOf = all.map((one) => one.costs.find((cost) => cost.name === name));
      const cpu = median(costsOf.map((cost) => cost?.cpuPer1000 ?? 0));
      const memory = median(costsOf.map((cost) => cost?.memoryMb ?? 0));
      return { name, cpu, memory };
    });
    for (const { name, cpu, memory } of costs) {
      if (cpu >= 0.0005)
        console.log(`    ${name.padEnd(16)} ${cpu.toFixed(3)} CPU s per 1,000   ${memory} MB`);
    }
    if (costs.length > 0) {
      const sum = costs.reduce((total, { cpu }) => total + cpu, 0);
      console.log(`    ${'sum'.padEnd(16)} ${sum.toFixed(3)} CPU s per 1,000`);
    }
  }
  const [ours, ...others] = [...row.rounds.keys()].reverse();
  for (const other of others) {
    if (ours !== undefined) console.log(`  x ${other.padEnd(7)} ${ratioOf(row, ours, other).toFixed(2)}`);
  }
}

/** The number of a subject's unexpected responses. If there are any, the measurement is invalid. */
export function unexpectedOf(row: Row, subject: string): number {
  return (row.rounds.get(subject) ?? []).reduce((sum, one) => sum + one.unexpected, 0);
}

/** The CPU time of all of a subject's processes, in seconds per 1,000 requests. */
export function cpuOf(row: Row, subject: string): number {
  const costs = (row.rounds.get(subject) ?? []).map(({ costs: all }) =>
    all.reduce((sum, { cpuPer1000 }) => sum + cpuPer1000, 0),
  );
  return median(costs);
}
