import { tooManyCardAttempts } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface AttemptsDocument {
  /** The limit and its period. */
  readonly _id: string;
  readonly count: number;
  readonly expires: Date;
}

export const attemptsDeclaration: CollectionDeclaration = {
  name: 'card_attempts',
  indexes: [{ name: 'by_expiry', key: { expires: 1 }, expireAfterSeconds: 0 }],
};

interface Limit {
  readonly key: string;
  readonly attemptsMax: number;
  readonly periodMs: number;
}

const perCard = { attemptsMax: 10, periodMs: 60 * 60_000 };
const perCaller = { attemptsMax: 100, periodMs: 10 * 60_000 };

/** Counts wrong codes. The counts are in the database, so that they apply to all processes of the service. */
export class CardAttempts {
  constructor(private readonly collection: Collection<AttemptsDocument>) {}

  /**
   * Counts an attempt before the code is checked, so that concurrent attempts cannot exceed the limit.
   * @returns a function that removes the attempt again, for a correct code
   * @throws ServiceError 429 `rate_limited` with Retry-After
   */
  async begin(
    retailer: string,
    cardNumber: string,
    caller: string,
    now: Date,
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const limits = [
      { key: `${retailer}|card|${cardNumber}`, ...perCard },
      { key: `${retailer}|caller|${caller}`, ...perCaller },
    ];
    const ids = await Promise.all(limits.map((limit) => this.count(limit, now, signal)));
    return async () => {
      const filter = { _id: { $in: ids } };
      await this.collection.updateMany(filter, { $inc: { count: -1 } }, { signal });
    };
  }

  private async count(
    { key, attemptsMax, periodMs }: Limit,
    now: Date,
    signal: AbortSignal,
  ): Promise<string> {
    const period = Math.floor(now.getTime() / periodMs);
    const expires = new Date((period + 1) * periodMs);
    const _id = `${key}|${period}`;
    const counted = await this.collection.findOneAndUpdate(
      { _id },
      { $inc: { count: 1 }, $setOnInsert: { expires } },
      { upsert: true, returnDocument: 'after', signal },
    );
    if ((counted?.count ?? 0) <= attemptsMax) return _id;
    const seconds = Math.ceil((expires.getTime() - now.getTime()) / 1_000);
    throw new ServiceError(tooManyCardAttempts, { headers: { 'retry-after': String(Math.max(1, seconds)) } });
  }
}
