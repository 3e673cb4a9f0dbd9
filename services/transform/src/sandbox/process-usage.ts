import { readFileSync } from 'node:fs';

/** The system's figures for a process. */
export interface ProcessUsage {
  /** The CPU time since its start, in milliseconds. */
  readonly cpuMs: number;
  /** False while it sleeps: it is not waiting for a processor. */
  readonly isRunnable: boolean;
}

const millisecondsPerTick = 10;
const sleepingStates = ['S', 'T', 't', 'I'];

/** @returns undefined if the system has no figures, or the process has ended */
export function usageOf(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpuMs = (Number(fields[10]) + Number(fields[11])) * millisecondsPerTick;
    return { cpuMs, isRunnable: !sleepingStates.includes(state) };
  } catch {
    return undefined;
  }
}
