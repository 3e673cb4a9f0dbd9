import type { Retailer } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { readDecimal, serviceCall } from '@receipts/kernel';
import type { Copy } from '@receipts/host';
import { thresholdsPassed, type Programme } from '../domain/reward';
import type { ReceiptEvent } from '../domain/receipt-contribution';
import type { NewReward, Rewards } from '../storage/rewards';
import type { ReceiptContributions } from '../storage/receipt-contributions';

/**
 * The maximum number of rewards issued to a consumer at once, per programme. A single receipt can reach any number of
 * thresholds; the remaining thresholds are rewarded with the consumer's next receipt.
 */
const issuedAtOnceMax = 1_000;

export interface IssueRewardsDependencies {
  readonly rewards: Rewards;
  readonly contributions: ReceiptContributions;
  readonly retailers: Copy<Retailer>;
  readonly now: () => Date;
}

/** The highest threshold of a programme that a consumer's total has reached; `cause` is the last receipt. */
interface ReachedThreshold {
  readonly programme: number;
  readonly rule: Programme['rule'];
  readonly identifier: string;
  readonly threshold: number;
  readonly cause: ReceiptEvent;
}

/** The last receipt of each consumer in a batch, by retailer. */
function lastReceipts(events: readonly ReceiptEvent[]): Map<string, Map<string, ReceiptEvent>> {
  const counted = events.filter(({ data }) => data.identifier !== null && !data.duplicate && !data.voided);
  const byRetailer = groupBy(counted, ({ retailer }) => retailer);
  const lastOf = (own: readonly ReceiptEvent[]) =>
    new Map(own.map((event) => [event.data.identifier ?? '', event]));
  return new Map([...byRetailer].map(([retailer, own]) => [retailer, lastOf(own)]));
}

/**
 * Issues a reward for every threshold that a consumer's total has reached and that has none yet. Uses the current
 * total, not the change in an event, so that events may be repeated, late, or handled by several processes of the
 * service. A reward remains if the total falls again, and its threshold is not rewarded a second time.
 */
export function issueRewards(deps: IssueRewardsDependencies) {
  return async (events: readonly ReceiptEvent[], signal: AbortSignal): Promise<void> => {
    for (const [retailer, receipts] of lastReceipts(events)) {
      const call = serviceCall('identifier', Date.now(), retailer);
      const known = await deps.retailers.find(retailer, call);
      if (!known || known.settings.loyalty.length === 0) continue;
      const totals = await deps.contributions.totals(retailer, [...receipts.keys()], signal);
      const reached = [...receipts].flatMap(([identifier, cause]) => {
        const own = totals.get(identifier)?.find(({ currency }) => currency === known.settings.currency);
        return known.settings.loyalty.flatMap(({ id: programme, rule }): ReachedThreshold | [] => {
          const threshold = thresholdsPassed(readDecimal(own?.total ?? '0'), { rule });
          return threshold === 0 ? [] : { programme, rule, identifier, threshold, cause };
        });
      });
      const found: NewReward[] = [];
      for (const group of groupBy(
        reached,
        ({ programme, threshold }) => `${programme} ${threshold}`,
      ).values())
        found.push(...(await newRewards(deps, group, signal)));
      await deps.rewards.issue(retailer, found, signal);
    }
  };
}

/**
 * The rewards that have not been issued yet.
 * @param reached consumers that reached the same threshold of the same programme
 */
async function newRewards(
  { rewards, now }: IssueRewardsDependencies,
  reached: readonly ReachedThreshold[],
  signal: AbortSignal,
): Promise<readonly NewReward[]> {
  const [first] = reached as [ReachedThreshold];
  const identifiers = reached.map(({ identifier }) => identifier);
  const highest = await rewards.highestRewarded(first.cause.retailer, first, identifiers, signal);
  const issuedAt = now();
  return reached.flatMap(({ programme, rule, identifier, threshold, cause }) => {
    const last = highest.get(identifier) ?? 0;
    const count = Math.max(0, Math.min(issuedAtOnceMax, threshold - last));
    return Array.from({ length: count }, (_, n) => ({
      record: {
        programme,
        identifier,
        threshold: last + 1 + n,
        name: rule.name,
        value: rule.value,
        claimed: false,
        issuedAt,
        receiptTimestamp: cause.data.timestamp,
      },
      cause,
    }));
  });
}
