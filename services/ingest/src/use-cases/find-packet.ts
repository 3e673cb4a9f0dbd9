import { pause } from '@receipts/concurrency';
import { idTimeMs, type Call } from '@receipts/kernel';
import type { Packet } from '../domain/packet-state';
import type { Dependencies } from './dependencies';

/** How long to wait for a packet that is not found: its id was promised when the broker had it, before it is stored. */
const notFoundMsMax = 1_500;
const pollMs = 25;
/** There is no wait for older ids: their packets are in a backlog, or they belong to posted receipts. */
const promisedMsMax = 60_000;

/** A packet that was accepted this long ago is in a backlog, and its outcome may take any time. */
const outcomeMsMax = 5_000;

/**
 * A packet by its own id or by that of one of its receipts. Waits briefly for a packet that may be about to be stored.
 *
 * @param options.outcome also waits briefly for the outcome of a new packet: a reader may have seen its receipt already
 */
export async function findPacket(
  { packets, allotter, now }: Dependencies,
  id: string,
  call: Call,
  { outcome = false } = {},
): Promise<Packet | undefined> {
  const startedAtMs = now().getTime();
  const begunAt = performance.now();
  const waitMsMax = Math.min(notFoundMsMax, call.deadline - startedAtMs - pollMs);
  const isPromised = () =>
    allotter.isAllotted(id, call.retailer) && startedAtMs - idTimeMs(id) <= promisedMsMax;
  const isPending = ({ status, receivedAt }: Packet) =>
    outcome && status === 'accepted' && startedAtMs - receivedAt.getTime() <= outcomeMsMax;
  for (;;) {
    const found = await packets.find(call.retailer, id, call);
    const mayCome = found ? isPending(found) : isPromised();
    if (!mayCome || performance.now() - begunAt >= waitMsMax) return found;
    await pause(pollMs);
  }
}
