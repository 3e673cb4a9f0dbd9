import { idTimeMs, type Call } from '@receipts/kernel';
import type { Packet } from '../domain/packet-state';
import type { Parts } from './parts';

/** A packet is written down when it is converted: its receipt can be there a moment before it. */
const arrivalMsMax = 1_500;
const pollMs = 25;
/** Ids that were promised before are not waited for: theirs stand behind a backlog, or belong to posted receipts. */
const promisedMsMax = 60_000;

/** A packet by its id or by that of one of its receipts; one that is just being written is waited for. */
export async function findPacket(parts: Parts, id: string, call: Call): Promise<Packet | undefined> {
  const { packets, allotter, now } = parts;
  const startedAtMs = now().getTime();
  const endMs = Math.min(startedAtMs + arrivalMsMax, call.deadline - pollMs);
  for (;;) {
    const found = await packets.find(call.retailer, id, call);
    if (found || !allotter.isAllotted(id, call.retailer)) return found;
    if (startedAtMs - idTimeMs(id) > promisedMsMax || now().getTime() >= endMs) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
