import { rewardIssued, type Reward, type RewardQuery, type RetailerSettings } from '@receipts/contracts';
import {
  decimalOf,
  serializeEvent,
  timesIn,
  timestampOf,
  type Decimal,
  type SerializedEvent,
} from '@receipts/kernel';
import type { ReceiptEvent } from './receipt-contribution';

export type Programme = RetailerSettings['loyalty'][number];

/** A stored reward. */
export interface RewardRecord {
  readonly number: number;
  readonly programme: number;
  readonly identifier: string;
  /** The multiple of the programme's `spend` that was reached: 1 for the first. */
  readonly threshold: number;
  readonly name: string;
  readonly value: number;
  readonly claimed: boolean;
  readonly issuedAt: Date;
  /** Formatted as in receipts. */
  readonly receiptTimestamp: string;
}

/** How many multiples of `spend` a total has reached. */
export const thresholdsPassed = (total: Decimal, { rule }: Pick<Programme, 'rule'>): number =>
  timesIn(total, decimalOf(rule.spend));

/** The reward as the API returns it. */
export function rewardOf(record: RewardRecord): Reward {
  return {
    id: record.number,
    identifier: record.identifier,
    name: record.name,
    claimed: record.claimed,
    value: record.value,
    timestamp: timestampOf(record.issuedAt),
    receipt_timestamp: record.receiptTimestamp,
  };
}

/** The event of the receipt that made the total reach a threshold. */
export type RewardCause = Pick<ReceiptEvent, 'id' | 'retailer' | 'correlationid' | 'traceparent'>;

/** The event of a new reward. @param id the event's id */
export function rewardEvent(record: RewardRecord, cause: RewardCause, id: string): SerializedEvent {
  const { id: causationId, retailer, correlationid: requestId, traceparent } = cause;
  const { number, programme, issuedAt: at } = record;
  const data = { ...rewardOf(record), program_id: programme };
  const traced = traceparent === undefined ? {} : { traceparent };
  const origin = { id, at, retailer, requestId, causationId, ...traced };
  return serializeEvent(rewardIssued, { subject: String(number), sequence: 1, data }, origin);
}

/** The programme named in a path; undefined if the retailer has no programme with that number. */
export function programmeNamed(programmes: readonly Programme[], text: string): Programme | undefined {
  return /^[1-9]\d{0,15}$/.test(text) ? programmes.find(({ id }) => id === Number(text)) : undefined;
}

/** The filters of a query, with times as dates. */
export interface RewardChoice {
  readonly consumers: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly claimed: boolean | undefined;
  /** Only rewards after this one in the list, which is sorted by time and number, descending. */
  readonly after: { readonly issuedAt: Date; readonly number: number } | undefined;
}

const dateOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms));

/**
 * @param confined the consumers to whom the caller's signature restricts it, if any; `query.consumer` is then the
 * signed list
 */
export function rewardChoice(query: RewardQuery, confined: readonly string[] | undefined): RewardChoice {
  const { consumer, from_timestamp: from, to_timestamp: to, claimed, after } = query;
  return {
    consumers: confined ?? (consumer === undefined ? undefined : [consumer]),
    from: dateOf(from),
    to: dateOf(to),
    claimed: claimed === 'all' ? undefined : claimed === 'true',
    after: after && { issuedAt: new Date(after.issued), number: after.id },
  };
}
