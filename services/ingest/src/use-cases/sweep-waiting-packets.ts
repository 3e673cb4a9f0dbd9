import { fillMessages } from '@receipts/concurrency';
import { packetPath } from '@receipts/contracts';
import { commandQueue } from '@receipts/messaging';
import type { Lease } from '@receipts/storage';
import type { WaitingPacket } from '../storage/waiting-packets';
import { requestConversion } from './request-conversion';
import type { Dependencies } from './dependencies';

const pagePacketsMax = 100;
const pagesMax = 10;
/** The maximum number of packets that are read and sent at a time, and of their bytes; one may have several megabytes. */
const limitsAtOnce = { itemsMax: 8, bytesMax: 4 * 1024 * 1024 };
/** Where packets and outcomes may be waiting. */
const queues = packetPath.map(commandQueue);
/** While more messages wait there, packets are only late, and sending them again would make them later. */
const waitingMessagesMax = 100;

async function isBehind({ broker }: Dependencies): Promise<boolean> {
  const depths = await broker.depth(queues);
  return depths.reduce((sum, { messages }) => sum + messages, 0) > waitingMessagesMax;
}

async function requestOne(deps: Dependencies, id: string): Promise<void> {
  const document = await deps.packets.findWhole(id);
  if (document) await requestConversion(deps, document);
}

/** @returns the packets whose requests the broker has confirmed */
async function requestPage(deps: Dependencies, page: readonly WaitingPacket[]): Promise<WaitingPacket[]> {
  const requested: WaitingPacket[] = [];
  for (const batch of fillMessages(page, limitsAtOnce, ({ size }) => size)) {
    const requests = await Promise.allSettled(batch.map(({ _id }) => requestOne(deps, _id)));
    requested.push(...batch.filter((_, index) => requests[index]?.status === 'fulfilled'));
    if (requested.length === 0) break;
  }
  return requested;
}

/**
 * Requests conversion again for packets that have had no outcome for too long: a message was lost with a process or the
 * broker, transform has postponed the packet in favour of other retailers, or many packets are being reprocessed. The
 * wait doubles each time.
 * @returns the number of requests sent
 */
export async function sweepWaitingPackets(
  deps: Dependencies,
  lease?: Pick<Lease, 'acquire'>,
): Promise<number> {
  if (lease && !(await lease.acquire())) return 0;
  let sent = 0;
  for (let page = 0; page < pagesMax; page++) {
    const now = deps.now();
    const waiting = await deps.waitingPackets.due(now, pagePacketsMax);
    if (waiting.length === 0 || (await isBehind(deps))) break;
    const requested = await requestPage(deps, waiting);
    await deps.waitingPackets.recordRetries(requested, now, deps.conversionRetryMs);
    sent += requested.length;
    if (requested.length < pagePacketsMax) break;
  }
  return sent;
}
