import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LoadPlan, LoadResult } from './load';

/** A process to be observed under load, including its child processes. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

export interface Cost {
  readonly name: string;
  /** Seconds of CPU time per 1,000 requests. */
  readonly cpuPer1000: number;
  /** Proportional set size: shared pages are divided among their processes. */
  readonly memoryMb: number;
}

export interface Measurement extends LoadResult {
  readonly costs: readonly Cost[];
}

const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  readonly cpuSeconds: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    // The second field is the process name in parentheses, which may contain spaces, so fields are counted after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Includes the CPU time of terminated child processes.
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), cpuSeconds: ticks / ticksPerSecond };
  } catch {
    return undefined;
  }
}

/** The CPU time and the process ids of each watched process and its descendants. */
function families(watched: readonly Watched[]): Map<Watched, { cpuSeconds: number; pids: number[] }> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) stats.set(Number(name), stat);
  }
  const roots = new Map(watched.map((one) => [one.pid, one]));
  const found = new Map(watched.map((one) => [one, { cpuSeconds: 0, pids: [] as number[] }]));
  for (const [pid, { cpuSeconds }] of stats) {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor > 1 && !roots.has(ancestor))
      ancestor = stats.get(ancestor)?.parent;
    const family = found.get(roots.get(ancestor ?? 0) as Watched);
    if (!family) continue;
    family.cpuSeconds += cpuSeconds;
    family.pids.push(pid);
  }
  return found;
}

/** `Pss` also counts file pages; `Pss_Anon` counts only memory allocated by the process itself. */
export type MemoryKind = 'Pss' | 'Pss_Anon';

function proportionalMb(pid: number, kind: MemoryKind): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const line = rollup.split('\n').find((text) => text.startsWith(`${kind}:`));
    return Number(/\d+/.exec(line ?? '')?.[0] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The proportional memory of processes and their descendants in MB. */
export function memoryOf(watched: readonly Watched[], kind: MemoryKind = 'Pss'): Map<string, number> {
  return new Map(
    [...families(watched)].map(([{ name }, { pids }]) => [
      name,
      Math.round(pids.reduce((sum, pid) => sum + proportionalMb(pid, kind), 0)),
    ]),
  );
}

/**
 * The memory of processes as text: in all, and the part that they have allocated themselves. The difference is mostly
 * pages of files, such as the database's data, which the system can drop.
 */
export function memoryText(watched: readonly Watched[]): string {
  const [all, allocated] = [memoryOf(watched), memoryOf(watched, 'Pss_Anon')];
  const sum = (memory: ReadonlyMap<string, number>) => [...memory.values()].reduce((a, b) => a + b, 0);
  const parts = [...all].map(([name, mb]) => `${name} ${mb} (${allocated.get(name) ?? 0})`);
  return `${sum(all)} MB (${sum(allocated)} allocated): ${parts.join(', ')}`;
}

/** A service's memory limit in production. */
export function memoryLimitMb(service: string): number {
  const manifests = readFileSync(path.resolve(__dirname, '../../../deploy/kubernetes/receipts.yaml'), 'utf8');
  const deployment = manifests
    .split('\n---\n')
    .find((text) => text.includes(`services/${service}/dist/main.js`));
  const limit = /limits: \{ memory: (\d+)Mi/.exec(deployment ?? '')?.[1];
  if (limit === undefined) throw new Error(`no memory limit of ${service} was found`);
  return Number(limit);
}

/** The CPU time in seconds that processes and their descendants have used. */
export function cpuSecondsOf(watched: readonly Watched[]): number {
  return [...families(watched).values()].reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Runs a load in a separate process and measures its cost for the watched processes. */
export async function measure(plan: LoadPlan, watched: readonly Watched[]): Promise<Measurement> {
  const before = families(watched);
  const result = await runLoad(plan);
  const after = families(watched);
  const memory = memoryOf(watched);
  const costs = watched.map((one) => {
    const used = (after.get(one)?.cpuSeconds ?? 0) - (before.get(one)?.cpuSeconds ?? 0);
    return {
      name: one.name,
      cpuPer1000: (used / Math.max(1, result.requests)) * 1000,
      memoryMb: memory.get(one.name) ?? 0,
    };
  });
  return { ...result, costs };
}

export function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(path.join(__dirname, 'load.js'));
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator exited with ${code}`)));
    child.send(plan);
  });
}
