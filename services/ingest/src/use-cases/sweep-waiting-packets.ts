import { commandQueue } from '@receipts/messaging';
import type { Lease } from '@receipts/storage';
import type { WaitingPacket } from '../storage/waiting-packets';
import { requestConversion } from './request-conversion';
import type { Parts } from './parts';

const pagePacketsMax = 100;
const pagesMax = 10;
/** The maximum size of the packets that are read and sent at a time; a single packet may be several megabytes. */
const bytesAtOnceMax = 4 * 1024 * 1024;
const packetsAtOnceMax = 8;
/** While this many requests wait in the broker's queue, transform is overloaded and no more are sent. */
const waitingRequestsMax = 500;

async function isBehind({ broker }: Parts): Promise<boolean> {
  const [queue] = await broker.depth([commandQueue('transform')]);
  return (queue?.messages ?? 0) > waitingRequestsMax;
}

/** As many of the first packets as fit within the limit, but at least one. */
function takeBatch(packets: WaitingPacket[]): WaitingPacket[] {
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
  if (document) await requestConversion(parts, document);
}

/** @returns the packets whose requests the broker has confirmed */
async function requestPage(parts: Parts, page: readonly WaitingPacket[]): Promise<WaitingPacket[]> {
  const left = [...page];
  const requested: WaitingPacket[] = [];
  while (left.length > 0) {
    const batch = takeBatch(left);
    const conversionRequests = await Promise.allSettled(batch.map(({ _id }) => order(parts, _id)));
    requested.push(...batch.filter((_, index) => conversionRequests[index]?.status === 'fulfilled'));
    if (requested.length === 0) break;
  }
  return requested;
}

/**
 * Requests conversion again for packets that have had no outcome for too long: the request was lost with a process or
 * the broker, transform has rejected it in favour of other retailers, or many packets are being reprocessed. The wait
 * doubles each time.
 * @returns the number of requests sent
 */
export async function sweepWaitingPackets(parts: Parts, lease?: Pick<Lease, 'acquire'>): Promise<number> {
  if (lease && !(await lease.acquire())) return 0;
  let sent = 0;
  for (let page = 0; page < pagesMax; page++) {
    const now = parts.now();
    const waiting = await parts.waitingPackets.due(now, pagePacketsMax);
    if (waiting.length === 0 || (await isBehind(parts))) break;
    const requested = await requestPage(parts, waiting);
    await parts.waitingPackets.recordRetries(requested, now, parts.conversionRetryMs);
    sent += requested.length;
    if (requested.length < pagePacketsMax) break;
  }
  return sent;
}
