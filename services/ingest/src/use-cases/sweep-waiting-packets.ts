import { commandQueue } from '@receipts/messaging';
import type { Lease } from '@receipts/storage';
import { sendAgainAt } from '../domain/send-again';
import { orderConversion } from './order-conversion';
import type { Parts } from './parts';

/** A packet can hold megabytes, so a page is small. */
const pagePacketsMax = 25;
const pagesMax = 40;
/** While so many orders wait with the broker, conversion is behind and nothing is lost: more orders would bury it. */
const ordersWaitingMax = 500;

async function isBehind({ broker }: Parts): Promise<boolean> {
  const [queue] = await broker.depth([commandQueue('transform')]);
  return (queue?.messages ?? 0) > ordersWaitingMax;
}

/**
 * Gives packets to conversion again that nobody has said anything about for too long: the order was lost with its broker,
 * conversion gave way to other retailers, or a great many are to be converted again.
 * @returns how many were sent
 */
export async function sweepWaitingPackets(parts: Parts, lease?: Pick<Lease, 'acquire'>): Promise<number> {
  if (lease && !(await lease.acquire())) return 0;
  let sent = 0;
  for (let page = 0; page < pagesMax; page++) {
    const now = parts.now();
    const waiting = await parts.packets.waiting(now, pagePacketsMax);
    if (waiting.length === 0 || (page === 0 && (await isBehind(parts)))) break;
    const orders = await Promise.allSettled(waiting.map((document) => orderConversion(parts, document)));
    const done = waiting.filter((_, index) => orders[index]?.status === 'fulfilled');
    if (done.length > 0) {
      await parts.packets.collection.bulkWrite(
        done.map(({ _id, sends, sendAgainAt: due }) => ({
          updateOne: {
            filter: { _id, sendAgainAt: due as Date },
            update: {
              $set: { sendAgainAt: sendAgainAt(now, sends + 1, parts.sendAgainAfterMs) },
              $inc: { sends: 1 },
            },
          },
        })),
        { ordered: false },
      );
    }
    sent += done.length;
    if (done.length < pagePacketsMax) break;
  }
  return sent;
}
