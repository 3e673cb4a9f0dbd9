import { commandQueue } from '@receipts/messaging';
import type { Lease } from '@receipts/storage';
import type { WaitingPacket } from '../storage/packets';
import { orderConversion } from './order-conversion';
import type { Parts } from './parts';

const pagePacketsMax = 100;
const pagesMax = 10;
/** A packet can be megabytes long, so this much is read and sent at a time. */
const bytesAtOnceMax = 4 * 1024 * 1024;
const packetsAtOnceMax = 8;
/** While this many requests wait in the broker's queue, transform is overloaded and no more are sent. */
const ordersWaitingMax = 500;

async function isBehind({ broker }: Parts): Promise<boolean> {
  const [queue] = await broker.depth([commandQueue('transform')]);
  return (queue?.messages ?? 0) > ordersWaitingMax;
}

/** As many of the first packets as fit into the limit, at least one. */
function takeFew(packets: WaitingPacket[]): WaitingPacket[] {
  let [count, bytes] = [0, 0];
  for (const { size } of packets) {
    if (count >= packetsAtOnceMax || (count > 0 && bytes + size > bytesAtOnceMax)) break;
    count++;
    bytes += size;
  }
  return packets.splice(0, count);
}

async function order(parts: Parts, id: string): Promise<void> {
  const document = await parts.packets.findWhole(id);
  if (document) await orderConversion(parts, document);
}

/** @returns the packets whose requests the broker has confirmed */
async function orderPage(parts: Parts, page: readonly WaitingPacket[]): Promise<WaitingPacket[]> {
  const left = [...page];
  const ordered: WaitingPacket[] = [];
  while (left.length > 0) {
    const few = takeFew(left);
    const orders = await Promise.allSettled(few.map(({ _id }) => order(parts, _id)));
    ordered.push(...few.filter((_, index) => orders[index]?.status === 'fulfilled'));
    if (ordered.length === 0) break;
  }
  return ordered;
}

/**
 * Requests conversion again for packets that have had no outcome for too long: the request was lost with a process or the
 * broker, transform has rejected it in favour of other retailers, or many packets are being reprocessed. The wait doubles
 * each time.
 * @returns how many were sent
 */
export async function sweepWaitingPackets(parts: Parts, lease?: Pick<Lease, 'acquire'>): Promise<number> {
  if (lease && !(await lease.acquire())) return 0;
  let sent = 0;
  for (let page = 0; page < pagesMax; page++) {
    const now = parts.now();
    const waiting = await parts.packets.waiting(now, pagePacketsMax);
    if (waiting.length === 0 || (await isBehind(parts))) break;
    const ordered = await orderPage(parts, waiting);
    await parts.packets.sentAgain(ordered, now, parts.sendAgainAfterMs);
    sent += ordered.length;
    if (ordered.length < pagePacketsMax) break;
  }
  return sent;
}
