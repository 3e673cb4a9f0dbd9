import { setTimeout as pause } from 'node:timers/promises';
import { clockShifts } from '../harness/clock-shifts';
import { crashPointFaults } from './crash-points';
import { fullDisk } from './full-disk';
import { messageFaults } from './message-faults';
import { processFaults } from './process-faults';
import { rollingUpdate, upgrade } from './rolling-update';
import { closingAlso, openTarget, type Scenario } from './scenario';
import { silentMailServer } from './silent-mail-server';
import { slowDatabase } from './slow-database';
import { misbehavingReceivers } from './webhook-receivers';

const shortFrozenMs = [5_000];
const longFrozenMs = [5_000, 60_000];
const skewLastsMs = 5_000;
/** How far the clock of a service is ahead, in milliseconds. */
const skew = {
  'receipt-store': 600_000,
  identifier: -600_000,
  ingest: 10_000,
  delivery: -600_000,
  admin: -10_000,
};

function singleFaults(frozenMs: readonly number[]): Scenario {
  return {
    faults: [...processFaults(frozenMs), ...messageFaults],
    async open() {
      const mail = await silentMailServer();
      return closingAlso(openTarget({ env: { SMTP_URL: mail.url } }), mail.close);
    },
  };
}

/** Services whose clocks differ by up to twenty minutes. */
const clockSkew: Scenario = {
  faults: [{ name: 'clocks twenty minutes apart', refusesNothing: true, inject: () => pause(skewLastsMs) }],
  open: () => openTarget({ env: clockShifts(skew) }),
};

/**
 * Short faults that do not affect servers: services are killed, restarted and replaced, or crash at a step of their
 * work.
 */
export function verifyingScenarios(): readonly Scenario[] {
  return [singleFaults(shortFrozenMs), crashPointFaults(), rollingUpdate()].map((scenario) => ({
    ...scenario,
    faults: scenario.faults.filter(({ name, breaksServer }) => !breaksServer && !/hangs|memory/.test(name)),
  }));
}

/** @param from the release to upgrade from; the last release if empty */
export const scenarios = (isLong: boolean, from: string): readonly Scenario[] => [
  singleFaults(isLong ? longFrozenMs : shortFrozenMs),
  crashPointFaults(),
  rollingUpdate(),
  upgrade(from),
  fullDisk(),
  slowDatabase(),
  clockSkew,
  misbehavingReceivers(),
];
