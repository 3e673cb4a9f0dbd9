import { PeriodicTask } from '@receipts/concurrency';
import { databaseTimeoutMs, keyKeptMs } from '@receipts/storage';
import { requestKeyName } from '../storage/packet-document';
import type { Dependencies } from './dependencies';

const everyMs = 60 * 60_000;
/** The first run is soon after the start, because a process may end within the first hour. */
const firstAfterMs = 5 * 60_000;
const packetsAtOnce = 200;

type ExpiryDependencies = Pick<Dependencies, 'expiredKeys' | 'packets' | 'now'>;

/** Removes idempotency keys that have expired from packets, so that they are not kept for ever. */
export async function expireKeys({ expiredKeys, packets, now }: ExpiryDependencies): Promise<void> {
  const before = new Date(now().getTime() - keyKeptMs);
  for (;;) {
    const found = await expiredKeys.packetsBefore(before, packetsAtOnce);
    for (const { keys = [], requests = [], ...packet } of found) {
      let left = keys;
      for (const request of requests.filter(({ at }) => at < before)) {
        const timeLimit = { deadline: Date.now() + databaseTimeoutMs };
        await packets.releaseRequest({ ...packet, keys: left }, request, timeLimit);
        left = left.filter((key) => key !== requestKeyName(request));
      }
    }
    if (found.length < packetsAtOnce) return;
  }
}

/** Runs it every hour. */
export function keyExpiry(deps: Dependencies): PeriodicTask {
  return new PeriodicTask({
    everyMs,
    firstAfterMs,
    run: () => expireKeys(deps),
    log: deps.log,
    failure: 'expired idempotency keys could not be removed',
  });
}
