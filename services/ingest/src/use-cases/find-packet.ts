import { pause } from '@receipts/concurrency';
import { idTimeMs, type Call } from '@receipts/kernel';
import type { Packet } from '../domain/packet-state';
import type { Parts } from './parts';

/** How long to wait for a packet that is not found: its id was promised when the broker had it, before it is stored. */
const arrivalMsMax = 1_500;
const pollMs = 25;
/** There is no wait for older ids: their packets are in a backlog, or they belong to posted receipts. */
const promisedMsMax = 60_000;

/**
 * A packet by its own id or by that of one of its receipts. Waits briefly for a packet that may be about to be stored.
 */
export async function findPacket(parts: Parts, id: string, call: Call): Promise<Packet | undefined> {
  const { packets, allotter, now } = parts;
  const startedAtMs = now().getTime();
  const endMs = Math.min(startedAtMs + arrivalMsMax, call.deadline - pollMs);
  for (;;) {
    const found = await packets.find(call.retailer, id, call);
    if (found || !allotter.isAllotted(id, call.retailer)) return found;
    if (startedAtMs - idTimeMs(id) > promisedMsMax || now().getTime() >= endMs) return undefined;
    await pause(pollMs);
  }
}
