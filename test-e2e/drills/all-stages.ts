import { diskStage } from './disk';
import { badDeliveries } from './bad-deliveries';
import { clocksStage } from './clocks';
import { dyingStage } from './crash-points';
import { faults, slowMailServer, type Fault } from './faults';
import { hostileReceiversStage } from './hostile-receivers';
import { rollingStage } from './rolling';
import { slowStoreStage } from './slow-store';
import { openGround, type Stage } from './stages';
import { upgradeStage } from './upgrade';

const shortFrozenMs = [5_000];
const longFrozenMs = [5_000, 60_000];

function plainStage(frozenMs: readonly number[]): Stage {
  return {
    faults: [...faults(frozenMs), ...badDeliveries],
    async open() {
      const mail = await slowMailServer();
      const ground = await openGround({ env: { SMTP_URL: `smtp://127.0.0.1:${mail.port}` } });
      return { ...ground, close: () => ground.close().finally(() => mail.server.close()) };
    },
  };
}

/** The short drills that break no server: services are killed, restarted and replaced, or die at a step of their work. */
export function verifyingStages(): readonly Stage[] {
  const isSlow = ({ name }: Fault) => /hangs|memory/.test(name);
  return [plainStage(shortFrozenMs), dyingStage(), rollingStage()].map((stage) => ({
    ...stage,
    faults: stage.faults.filter((fault) => fault.breaksServer !== true && !isSlow(fault)),
  }));
}

/**
 * All platforms on which faults are injected.
 * @param from the release to upgrade from; the last one if empty
 */
export function stages(isLong: boolean, from: string): readonly Stage[] {
  return [
    plainStage(isLong ? longFrozenMs : shortFrozenMs),
    dyingStage(),
    rollingStage(),
    upgradeStage(from),
    diskStage(),
    slowStoreStage(),
    clocksStage(),
    hostileReceiversStage(),
  ];
}
