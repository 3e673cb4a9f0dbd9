import { PeriodicTask } from '@receipts/concurrency';
import type { Lease } from '@receipts/storage';
import type { Background } from '@receipts/host/open-service';
import type { Dependencies } from './dependencies';
import { sweepWaitingPackets } from './sweep-waiting-packets';

const everyMs = 2_000;

/** Runs the sweep of waiting packets periodically, on startup, and whenever the broker has been connected. */
export function packetSweeper(deps: Dependencies, lease: Lease): Required<Background> {
  let lostBefore: Date | undefined;
  const sweep = async () => {
    const before = lostBefore;
    if (before) await deps.waitingPackets.makeDue(before, deps.now(), deps.conversionRetryMs);
    if (lostBefore === before) lostBefore = undefined;
    const count = await sweepWaitingPackets(deps, lease);
    if (count > 0) deps.log.info('requested the conversion of waiting packets again', { count });
  };
  const failure = 'waiting packets could not be processed';
  const task = new PeriodicTask({ everyMs, run: sweep, log: deps.log, failure });
  /**
   * Earlier requests may be lost, so the conversion of the packets accepted so far is requested again immediately, not
   * only when they are due.
   */
  const reconnected = () => {
    lostBefore = deps.now();
    void task.attempt();
  };
  return {
    reconnected,
    start() {
      task.start();
      reconnected();
    },
    async stop() {
      await task.stop();
      await lease.release();
    },
  };
}
