import { setTimeout as pause } from 'node:timers/promises';
import { clockShifts } from '../harness/clock-shifts';
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

/** Services whose clocks differ by up to twenty minutes. */
export function clocksStage(): Stage {
  return {
    faults: [{ name: 'clocks twenty minutes apart', refusesNothing: true, inflict: () => pause(lastsMs) }],
    open: () => openGround({ env: clockShifts(shifts) }),
  };
}
