import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openGround, type Stage } from './stages';

const lastsMs = 5_000;
/** How far the clock of a service is ahead, in milliseconds. */
const shifts = {
  'receipt-store': 600_000,
  identifier: -600_000,
  ingest: 10_000,
  delivery: -600_000,
  admin: -10_000,
};

/** Not compiled: it has to be there before a service's first line. */
const preload = path.join(
  path.dirname(require.resolve('@receipts/test-e2e/package.json')),
  'harness/shifted-clock.cjs',
);

/** Services whose clocks differ by up to twenty minutes. */
export function clocksStage(): Stage {
  const env = {
    NODE_OPTIONS: `--require ${preload}`,
    CLOCK_SHIFTS: Object.entries(shifts)
      .map(([name, ms]) => `${name}=${ms}`)
      .join(','),
  };
  return {
    faults: [{ name: 'clocks twenty minutes apart', refusesNothing: true, inflict: () => pause(lastsMs) }],
    open: () => openGround({ env }),
  };
}
