import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Not compiled, because it must be loaded before a service's first line. */
const preload = path.join(
  path.dirname(require.resolve('@receipts/test-e2e/package.json')),
  'harness/turn-recorder.cjs',
);

/** Records the processor time of the long turns of the event loop of services. */
export class LongTurns {
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-turns-'));

  /** The environment of the recorded services. */
  get environment(): NodeJS.ProcessEnv {
    return { NODE_OPTIONS: `--require ${preload}`, LONG_TURNS: this.folder };
  }

  /** The number of processes that were recorded. */
  get processCount(): number {
    return readdirSync(this.folder).length;
  }

  /** The processor time of the longest turn that ended after `from`, in milliseconds; 0 if none was long. */
  longestSince(from: number): number {
    const turns = readdirSync(this.folder)
      .flatMap((name) => readFileSync(path.join(this.folder, name), 'utf8').split('\n'))
      .map((line) => line.split(' ').map(Number) as [at: number, cpuMs: number])
      .filter(([at]) => at >= from);
    return Math.max(0, ...turns.map(([, cpuMs]) => Math.round(cpuMs)));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
