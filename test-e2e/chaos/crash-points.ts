import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serviceNames, type Child, type ServiceName } from '@receipts/local';
import { until } from '@receipts/testing';
import { childOf } from './process-faults';
import { closingAlso, openTarget, type Fault, type Scenario } from './scenario';

export const points = ['before a commit', 'after a commit', 'after a publish'] as const;
type Point = (typeof points)[number] | 'out of memory';
/**
 * The points that each service reaches while tills post. Transform stores nothing for a packet, and tills send no
 * requests for which admin stores or publishes anything.
 */
const pointsOf: Partial<Record<ServiceName, readonly Point[]>> = {
  gateway: ['after a publish', 'out of memory'],
  'receipt-store': [...points, 'out of memory'],
  identifier: [...points, 'out of memory'],
  ingest: [...points, 'out of memory'],
  transform: ['after a publish', 'out of memory'],
  delivery: ['before a commit', 'after a commit', 'out of memory'],
  admin: ['out of memory'],
};
const reachedWithinMs = 120_000;
/** The occurrence of the point is random, because it must not always be the first document of a batch. */
const nthMax = 4;
/** More than any service uses under load, but quickly exhausted. */
const heapMb = 192;

/** The file from which the services of a run read their next crash point. */
export interface Instructions {
  file: string;
}

/** Not compiled, because it must be loaded before a service's first line. */
const preload = path.join(
  path.dirname(require.resolve('@receipts/test-e2e/package.json')),
  'chaos/crash-injection.cjs',
);

/** The environment of services that crash on instruction. */
export const crashEnvironment = ({ file }: Instructions, flags = ''): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${preload} ${flags}`.trim(),
  CRASH_POINT_FILE: file,
});

/** Makes a service crash when it reaches a point for the nth time, and restarts it. */
export async function crashAt(
  child: Child,
  { file }: Instructions,
  point: Point,
  nth: number,
): Promise<void> {
  const { name } = child;
  if (child.pid === undefined) throw new Error(`${name} did not start`);
  writeFileSync(file, JSON.stringify({ point, nth }));
  process.kill(child.pid, 'SIGUSR2');
  await until(`the crash of ${name} ${point}`, () => !child.running, reachedWithinMs);
  await child.start();
}

const faultOf = (instructions: Instructions, name: ServiceName, point: Point): Fault => ({
  name: `${name} crashes ${point}`,
  isKill: true,
  inject: (target) => crashAt(childOf(target, name), instructions, point, Math.ceil(Math.random() * nthMax)),
});

/** A platform whose services can be instructed to crash at a given point in their work. */
export function crashPointFaults(): Scenario {
  const instructions: Instructions = { file: '' };
  return {
    faults: serviceNames.flatMap((name) =>
      (pointsOf[name] ?? []).map((point) => faultOf(instructions, name, point)),
    ),
    open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-crash-'));
      instructions.file = path.join(folder, 'crash-point.json');
      const env = crashEnvironment(instructions, `--max-old-space-size=${heapMb}`);
      return closingAlso(openTarget({ env }), () => rmSync(folder, { recursive: true, force: true }));
    },
  };
}
