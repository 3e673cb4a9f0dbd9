import { rewardIssued, type Retailer } from '@receipts/contracts';
import { eventOf, ownCall } from '@receipts/kernel';
import { outboxItem, type RecordCache, type Relay } from '@receipts/storage';
import { rewardOf, thresholdsPassed, type Programme, type RewardRecord } from '../domain/reward';
import type { ReceiptEvent } from '../domain/receipt-share';
import type { RewardDocument, Rewards } from '../storage/rewards';
import type { Shares } from '../storage/shares';

/**
 * A single receipt can reach any number of thresholds. Those above this number are rewarded with the consumer's next
 * receipt.
 */
const issuedAtOnceMax = 1_000;
const askTimeoutMs = 5_000;

export interface IssueRewardsParts {
  readonly rewards: Rewards;
  readonly shares: Shares;
  readonly retailers: RecordCache<Retailer>;
  readonly rewardRelay: Pick<Relay<RewardDocument, string>, 'nudge'>;
  readonly now: () => Date;
}

/** The last receipt of each consumer in a batch, by retailer. */
function lastReceipts(events: readonly ReceiptEvent[]): Map<string, Map<string, ReceiptEvent>> {
  const byRetailer = new Map<string, Map<string, ReceiptEvent>>();
  for (const event of events) {
    const { identifier, duplicate } = event.data;
    if (identifier === null || duplicate) continue;
    const ofRetailer = byRetailer.get(event.retailer) ?? new Map<string, ReceiptEvent>();
    byRetailer.set(event.retailer, ofRetailer);
    ofRetailer.set(identifier, event);
  }
  return byRetailer;
}

/**
 * Issues a reward for every threshold that a consumer's total has reached and that has none yet. It uses the present
 * total, not what an event adds, so that events may be repeated, late, or handled by several copies of the service. A
 * reward stays when the total falls again, and its threshold is not rewarded a second time.
 */
export function issueRewards(parts: IssueRewardsParts) {
  return async (events: readonly ReceiptEvent[], signal: AbortSignal): Promise<void> => {
    for (const [retailer, receipts] of lastReceipts(events)) {
      const call = ownCall('identifier', Date.now(), askTimeoutMs, retailer);
      const known = await parts.retailers.known(retailer, call);
      if (!known || known.settings.loyalty.length === 0) continue;
      const totals = await parts.shares.totals(retailer, [...receipts.keys()], signal);
      for (const [identifier, receipt] of receipts) {
        const inCurrency = totals
          .get(identifier)
          ?.find(({ currency }) => currency === known.settings.currency);
        for (const programme of known.settings.loyalty) {
          await issue(parts, programme, inCurrency?.total ?? 0, receipt, signal);
        }
      }
    }
  };
}

async function issue(
  { rewards, rewardRelay, now }: IssueRewardsParts,
  programme: Programme,
  total: number,
  cause: ReceiptEvent,
  signal: AbortSignal,
): Promise<void> {
  const { retailer } = cause;
  const identifier = cause.data.identifier ?? '';
  const passed = thresholdsPassed(total, programme);
  if (passed === 0) return;
  const highest = await rewards.highest(retailer, programme.id, identifier, signal);
  const count = Math.min(issuedAtOnceMax, passed - highest);
  if (count <= 0) return;
  const first = await rewards.allot(retailer, count, signal);
  const at = now();
  const origin = {
    id: cause.id,
    requestId: cause.correlationid,
    retailer,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
  };
  const entries = Array.from({ length: count }, (_, n) => {
    const record: RewardRecord = {
      number: first + n,
      programme: programme.id,
      identifier,
      threshold: highest + 1 + n,
      name: programme.rule.name,
      value: programme.rule.value,
      claimed: false,
      issuedAt: at,
      receiptTimestamp: cause.data.timestamp,
    };
    const data = { ...rewardOf(record), program_id: programme.id };
    const facts = { subject: String(record.number), sequence: 1, data };
    return { record, outbox: [outboxItem(eventOf(rewardIssued, facts, origin, at))] };
  });
  const issued = await rewards.issue(retailer, entries, signal);
  rewardRelay.nudge(issued.map(({ _id, outbox }) => ({ _id, items: outbox })));
}
