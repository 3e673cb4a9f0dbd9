import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LoadPlan, LoadResult } from './load';

/** A process to be observed, including its child processes. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

export interface Measurement extends LoadResult {
  /** CPU time in ms of all watched processes. */
  readonly cpuMs: number;
}

const msPerTick = 10;

interface Stat {
  readonly parent: number;
  readonly cpuMs: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    // The second field is the process name in parentheses, which may contain spaces, so fields are counted after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Includes the CPU time of terminated child processes.
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), cpuMs: ticks * msPerTick };
  } catch {
    return undefined;
  }
}

/** The CPU time in ms that processes and their descendants have used. */
export function cpuMsOf(watched: readonly Watched[]): number {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) stats.set(Number(name), stat);
  }
  const roots = new Set(watched.map(({ pid }) => pid));
  let ms = 0;
  for (const [pid, stat] of stats) {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor > 1 && !roots.has(ancestor))
      ancestor = stats.get(ancestor)?.parent;
    if (roots.has(ancestor ?? 0)) ms += stat.cpuMs;
  }
  return ms;
}

/** Runs a load in a separate process and measures the CPU time of the watched processes. */
export async function measure(plan: LoadPlan, watched: readonly Watched[]): Promise<Measurement> {
  const before = cpuMsOf(watched);
  const result = await runLoad(plan);
  return { ...result, cpuMs: cpuMsOf(watched) - before };
}

function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(path.join(__dirname, 'load.js'));
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator exited with ${code}`)));
    child.send(plan);
  });
}
