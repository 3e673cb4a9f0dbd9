import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serviceNames, type Child, type ServiceName } from '@receipts/local';
import { until } from '@receipts/testing';
import { childOf, startTimeoutMs, type Fault } from './faults';
import { openGround, type Stage } from './stages';

export const points = ['before a commit', 'after a commit', 'after a publish'] as const;
type Point = (typeof points)[number] | 'no memory';
/**
 * The points that each service reaches while tills post. Transform stores nothing for a packet, and tills send no
 * requests for which admin stores or publishes anything.
 */
const pointsOf: Partial<Record<ServiceName, readonly Point[]>> = {
  gateway: ['after a publish', 'no memory'],
  'receipt-store': [...points, 'no memory'],
  identifier: [...points, 'no memory'],
  ingest: [...points, 'no memory'],
  transform: ['after a publish', 'no memory'],
  delivery: ['before a commit', 'after a commit', 'no memory'],
  admin: ['no memory'],
};
const reachedWithinMs = 120_000;
/** The occurrence of the point is random, so that it is not always the first document of a batch. */
const nthMax = 4;
/** More than any service uses under load, but quickly exhausted. */
const heapMb = 192;

/** The file from which the services of a run read their instructions. */
export interface Orders {
  file: string;
}

/** Not compiled: it has to be there before a service's first line. */
const preload = path.join(
  path.dirname(require.resolve('@receipts/test-e2e/package.json')),
  'drills/crash-preload.cjs',
);

/** What a service is started with, so that it can be told where to crash. */
export const dyingEnvironment = (orders: Orders, flags = ''): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${preload} ${flags}`.trim(),
  DRILL_ORDERS: orders.file,
});

/**
 * Lets a service crash at a point, and starts it again.
 * @param nth how often it has to come to the point until then
 */
export async function dieAt(child: Child, orders: Orders, point: Point, nth: number): Promise<void> {
  const { name } = child;
  if (child.pid === undefined) throw new Error(`${name} does not run`);
  writeFileSync(orders.file, JSON.stringify({ point, nth }));
  process.kill(child.pid, 'SIGUSR2');
  await until(`${name} to die: ${point}`, () => !child.running, reachedWithinMs);
  await child.start(startTimeoutMs);
}

const faultOf = (orders: Orders, name: ServiceName, point: Point): Fault => ({
  name: `${name} dies ${point === 'no memory' ? 'of its memory' : point}`,
  isKill: true,
  inflict: (ground) => dieAt(childOf(ground, name), orders, point, Math.ceil(Math.random() * nthMax)),
});

/** A platform whose services can be instructed to crash at a certain point of their work. */
export function dyingStage(): Stage {
  const orders: Orders = { file: '' };
  return {
    faults: serviceNames.flatMap((name) =>
      (pointsOf[name] ?? []).map((point) => faultOf(orders, name, point)),
    ),
    async open() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-orders-'));
      orders.file = path.join(folder, 'orders.json');
      const ground = await openGround({
        env: dyingEnvironment(orders, `--max-old-space-size=${heapMb}`),
      });
      return {
        ...ground,
        async close() {
          await ground.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
