import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@receipts/local';

export type ClockShifts = Partial<Record<ServiceName, number>>;

/** Where Linux distributions install libfaketime, which also shifts a process's clock for native code. */
const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu', ''].flatMap((machine) =>
  ['lib', 'lib64'].map((lib) => path.join('/usr', lib, machine, 'faketime/libfaketime.so.1')),
);

/** Not compiled, because it must be loaded before a service's first line. */
const preload = path.join(
  path.dirname(require.resolve('@receipts/test-e2e/package.json')),
  'harness/shifted-clock.cjs',
);

/**
 * The environment of services whose clocks are wrong by this many milliseconds. Without libfaketime only JavaScript's
 * `Date` is shifted. Durations remain correct, as with real clocks that are wrong.
 */
export function clockShifts(aheadMs: ClockShifts): (service: ServiceName) => NodeJS.ProcessEnv {
  return (service) => clockShift(aheadMs[service] ?? 0);
}

/** The environment of one process whose clock is wrong by this many milliseconds. */
export function clockShift(aheadMs: number): NodeJS.ProcessEnv {
  const library = libraries.find((file) => existsSync(file));
  if (aheadMs === 0) return {};
  if (library === undefined) return { NODE_OPTIONS: `--require ${preload}`, CLOCK_SHIFT: String(aheadMs) };
  const seconds = aheadMs / 1_000;
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    DONT_FAKE_MONOTONIC: '1',
  };
}
