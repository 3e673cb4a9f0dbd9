import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LoadPlan, LoadResult } from './load';

/** A process to be watched while the load runs. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

export interface Cost {
  readonly name: string;
  /** Seconds of processor time for 1,000 requests. */
  readonly cpuPer1000: number;
  readonly memoryMb: number;
}

export interface Measurement extends LoadResult {
  readonly costs: readonly Cost[];
}

const ticksPerSecond = 100;
const pageBytes = 4096;

function cpuSeconds(pid: number): number {
  // The second field is the name in brackets, which may hold spaces: count from its end.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function memoryMb(pid: number): number {
  const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Math.round((resident * pageBytes) / 1e6);
}

/** Runs one load in a process of its own and watches what it costs the others. */
export async function measure(plan: LoadPlan, watched: readonly Watched[]): Promise<Measurement> {
  const before = watched.map(({ pid }) => cpuSeconds(pid));
  const result = await runLoad(plan);
  const costs = watched.map(({ name, pid }, index) => ({
    name,
    cpuPer1000: Number((((cpuSeconds(pid) - (before[index] ?? 0)) / result.requests) * 1000).toFixed(4)),
    memoryMb: memoryMb(pid),
  }));
  return { ...result, costs };
}

export function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(path.join(__dirname, 'load.js'));
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator ended with ${code}`)));
    child.send(plan);
  });
}
