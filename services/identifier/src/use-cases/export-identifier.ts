import {
  ndjsonType,
  receiptStoreContracts,
  type ConsumerReceiptsRequest,
  type identifierContracts,
} from '@receipts/contracts';
import { delegatedCall, remainingMs, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { rewardOf } from '../domain/reward';
import { findIdentifier } from './find-identifier';
import type { Dependencies } from './dependencies';

/**
 * The maximum size of a reply, which is held in memory here and in the gateway. Another request continues the export.
 */
const bytesMax = 4 * 1024 * 1024;
const receiptsAtOnce = 20;
const rewardsAtOnce = 5_000;
/** Marks a cursor among the rewards, which come first, as opposed to a cursor among the receipts. */
const rewardCursor = 'reward-';
/** No more reads are started if less time than this is left. */
const marginMs = 3_000;

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const bytesOf = (lines: readonly Buffer[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** Exports a consumer's data. Credentials restricted to consumers get 404 for other consumers. */
export function exportIdentifier(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['exportIdentifier']> {
  return async ({ params: { identifier }, query: { after } }, call) => {
    const { record, totals } = await findIdentifier(deps, identifier, call);
    const first = lineOf({ type: 'identifier', identifier: identifierOf(record, totals) });
    const lines = after === undefined ? [first] : [];
    let next: string | null = after ?? `${rewardCursor}0`;
    if (next.startsWith(rewardCursor)) {
      const rewards = await rewardLines(identifier, Number(next.slice(rewardCursor.length)), call, deps);
      lines.push(...rewards.lines);
      next = rewards.next === null ? '0' : `${rewardCursor}${rewards.next}`;
    }
    if (!next.startsWith(rewardCursor)) {
      const left = bytesMax - bytesOf(lines);
      const receipts = await receiptLines(identifier, Number(next), left, call, deps);
      lines.push(...receipts.lines);
      next = receipts.next === null ? null : String(receipts.next);
    }
    const path = `/identifiers/${encodeURIComponent(identifier)}/export`;
    return {
      body: Buffer.concat(lines),
      meta: { contentType: ndjsonType, ...(next !== null && { next: `${path}?after=${next}` }) },
    };
  };
}

/** Rewards for one reply, and the number of the last reward if there may be more. */
async function rewardLines(
  identifier: string,
  after: number,
  call: Call,
  { rewards }: Dependencies,
): Promise<{ lines: Buffer[]; next: number | null }> {
  const signal = deadlineSignal(call);
  const found = await rewards.ofConsumer(call.retailer, identifier, after, rewardsAtOnce, signal);
  const lines = found.map((reward) =>
    lineOf({ type: 'reward', program_id: reward.programme, reward: rewardOf(reward) }),
  );
  return { lines, next: found.length < rewardsAtOnce ? null : (found.at(-1)?.number ?? null) };
}

/** Receipts for one reply, and the position from which the next reply continues. */
async function receiptLines(
  identifier: string,
  after: number,
  bytesMax: number,
  call: Call,
  { ask }: Dependencies,
): Promise<{ lines: Buffer[]; next: number | null }> {
  const lines: Buffer[] = [];
  let bytes = 0;
  let next: number | null = after;
  while (next !== null) {
    const now = Date.now();
    if (bytes > 0 && (bytes >= bytesMax || remainingMs(call, now) < marginMs)) break;
    const body: ConsumerReceiptsRequest = { identifier, after: next, count: receiptsAtOnce };
    const inner = delegatedCall('identifier', call, now);
    const page = (await ask(receiptStoreContracts.listConsumerReceipts, { body }, inner)).body;
    for (const receipt of page.receipts) {
      const line = lineOf({ type: 'receipt', receipt });
      lines.push(line);
      bytes += line.length;
    }
    next = page.next;
  }
  return { lines, next };
}
