import {
  claimRoundRobin,
  databaseTimeout,
  dueRoundRobinIndex,
  duplicatesIn,
  type ClaimOrder,
  type CollectionDeclaration,
} from '@receipts/storage';
import type { Collection } from 'mongodb';
import { claimMs } from '../../sending/domain/schedule';
import type { AlertCause, FurtherCauses } from '../domain/alerts';

/** What an e-mail is about. */
export type NotificationContent =
  | { readonly type: 'daily_totals'; readonly day: string; readonly timeZone: string }
  | {
      readonly type: 'alerts';
      readonly causes: readonly AlertCause[];
      readonly further: readonly FurtherCauses[];
    };

/** `canceled` if the user no longer wants the e-mail, or may no longer get it, or there is nothing to tell. */
export type NotificationStatus = 'pending' | 'sent' | 'failed' | 'canceled';

/** An e-mail to a manager. It contains no address: the user may have been disabled since. */
export interface NotificationDocument {
  /** Derived from the user and the content, so that each e-mail is created once. */
  readonly _id: string;
  readonly retailer: string;
  /** The id of the portal user. */
  readonly user: number;
  readonly content: NotificationContent;
  /** The references of the stores whose totals were sent. */
  readonly stores?: readonly string[];
  readonly status: NotificationStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly updatedAt: Date;
  /** Present while pending: the time of the next attempt, or the end of the current attempt's claim. */
  readonly dueAt?: Date;
  /** When the current attempt, or an attempt whose process crashed, began to send the e-mail. */
  readonly handedOverAt?: Date;
}

/** Much longer than a day can be the last one that has ended. */
const keptSeconds = 40 * 24 * 60 * 60;

export const notificationsDeclaration: CollectionDeclaration = {
  name: 'notifications',
  indexes: [dueRoundRobinIndex, { name: 'expiry', key: { updatedAt: 1 }, expireAfterSeconds: keptSeconds }],
};

const userPrefix = (retailer: string, user: number) => `${retailer}/${user}`;
const dayPrefix = (retailer: string, user: number, day: string) =>
  `${userPrefix(retailer, user)}/totals/${day}/`;

export const totalsId = (
  { retailer, id }: { readonly retailer: string; readonly id: number },
  day: string,
  timeZone: string,
) => `${dayPrefix(retailer, id, day)}${timeZone}`;

export const alertsId = (
  { retailer, id }: { readonly retailer: string; readonly id: number },
  round: number,
) => `${userPrefix(retailer, id)}/alerts/${round}`;

export interface NewNotification {
  readonly id: string;
  readonly user: { readonly retailer: string; readonly id: number };
  readonly content: NotificationContent;
}

/** An attempt claimed by one process. The number of attempts shows whether the claim is still valid. */
type Claim = Pick<NotificationDocument, '_id' | 'attempts' | 'dueAt'>;

const owned = ({ _id, attempts }: Claim) => ({ _id, attempts, status: 'pending' as const });

export class Notifications {
  constructor(private readonly collection: Collection<NotificationDocument>) {}

  /** Those of the ids for which there is no e-mail yet. */
  async missing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = this.collection
      .find({ _id: { $in: [...ids] } }, { signal: databaseTimeout() })
      .project<{ _id: string }>({ _id: 1 });
    const present = new Set((await found.toArray()).map(({ _id }) => _id));
    return new Set(ids.filter((id) => !present.has(id)));
  }

  /** Repeating the call has no effect. */
  async add(created: readonly NewNotification[], now: Date): Promise<void> {
    if (created.length === 0) return;
    const documents = created.map(({ id, user, content }): NotificationDocument => ({
      _id: id,
      retailer: user.retailer,
      user: user.id,
      content,
      status: 'pending',
      reason: null,
      attempts: 0,
      updatedAt: now,
      dueAt: now,
    }));
    await duplicatesIn(() =>
      this.collection.insertMany(documents, { ordered: false, signal: databaseTimeout() }),
    );
  }

  /** The stores whose totals of a day were sent to a user in other e-mails. */
  async storesSent({ _id, retailer, user }: NotificationDocument, day: string): Promise<string[]> {
    const $gt = dayPrefix(retailer, user, day);
    const others = await this.collection
      .find({ _id: { $gt, $lt: `${$gt}~`, $ne: _id } }, { signal: databaseTimeout() })
      .toArray();
    return others.flatMap(({ stores = [] }) => stores);
  }

  claimDue(order: ClaimOrder, now: Date, signal: AbortSignal): Promise<NotificationDocument | null> {
    const update = { $set: { dueAt: new Date(now.getTime() + claimMs) }, $inc: { attempts: 1 } };
    return claimRoundRobin(this.collection, order, { now, update, signal });
  }

  /**
   * Records that sending is about to start.
   * @returns false if the claim has expired, and another process may have taken over
   */
  async handOver(claim: Claim, stores: readonly string[], now: Date): Promise<boolean> {
    const { dueAt } = claim;
    if (!dueAt || dueAt <= now) return false;
    const { matchedCount } = await this.collection.updateOne(
      { ...owned(claim), dueAt },
      { $set: { handedOverAt: now, stores } },
      { signal: databaseTimeout() },
    );
    return matchedCount === 1;
  }

  async postpone(claim: Claim, reason: string, dueAt: Date, now: Date): Promise<void> {
    await this.collection.updateOne(
      owned(claim),
      { $set: { reason, dueAt, updatedAt: now }, $unset: { handedOverAt: '', stores: '' } },
      { signal: databaseTimeout() },
    );
  }

  async finish(
    claim: Claim,
    outcome: { readonly status: NotificationStatus; readonly reason: string | null },
    now: Date,
  ): Promise<void> {
    await this.collection.updateOne(
      owned(claim),
      { $set: { ...outcome, updatedAt: now }, $unset: { dueAt: '', handedOverAt: '' } },
      { signal: databaseTimeout() },
    );
  }
}
