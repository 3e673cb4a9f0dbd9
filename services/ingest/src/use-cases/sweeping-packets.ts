import type { Background, Lease } from '@receipts/storage';
import type { Parts } from './parts';
import { sweepWaitingPackets } from './sweep-waiting-packets';

const everyMs = 2_000;

/** Runs the sweep of waiting packets periodically. */
export function sweepingPackets(parts: Parts, lease: Lease): Background {
  let sweeping: Promise<void> | undefined;
  const sweep = async () => {
    try {
      const count = await sweepWaitingPackets(parts, lease);
      if (count > 0) parts.log.info('gave packets to conversion again', { count });
    } catch (error) {
      parts.log.error('could not sweep waiting packets', { error: (error as Error).message });
    }
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer = setInterval(() => {
        sweeping ??= sweep().finally(() => (sweeping = undefined));
      }, everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await sweeping;
      await lease.release();
    },
  };
}
