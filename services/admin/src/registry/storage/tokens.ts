import type { adminContracts } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { expiredTokenKeptMs, type TokenRecord } from '../domain/token';
import type { Counters } from './counters';

export interface TokenDocument extends TokenRecord {
  /** `retailer/client/jti` */
  readonly _id: string;
  readonly retailer: string;
  readonly client: number;
}

export const tokensDeclaration: CollectionDeclaration = {
  name: 'tokens',
  indexes: [
    { name: 'by_number', key: { retailer: 1, client: 1, number: -1 } },
    { name: 'expiry', key: { expires: 1 }, expireAfterSeconds: expiredTokenKeptMs / 1000 },
  ],
};

type Uses = Input<typeof adminContracts.recordTokenUses>['body'];

const idOf = (retailer: string, client: number, jti: string) => `${retailer}/${client}/${jti}`;

function recordOf({ jti, number, issued, expires, lastUsed }: TokenDocument): TokenRecord {
  return { jti, number, issued, expires, lastUsed };
}

/** The issued tokens, without the tokens themselves. */
export class Tokens {
  constructor(
    private readonly collection: Collection<TokenDocument>,
    private readonly counters: Counters,
  ) {}

  /** @returns the token with this id: the added token, or an existing token */
  async add(
    retailer: string,
    client: number,
    token: Pick<TokenRecord, 'jti' | 'issued' | 'expires'>,
    signal: AbortSignal,
  ): Promise<TokenRecord> {
    const { jti } = token;
    const earlier = await this.find(retailer, client, jti, signal);
    if (earlier) return earlier;
    const number = await this.counters.next(retailer, `tokens-of-${client}`, signal);
    const added: TokenRecord = { ...token, number, lastUsed: null };
    try {
      await this.collection.insertOne(
        { _id: idOf(retailer, client, jti), retailer, client, ...added },
        { signal },
      );
      return added;
    } catch (error) {
      const own = isDuplicateKey(error, '_id_') && (await this.find(retailer, client, jti, signal));
      if (own) return own;
      throw error;
    }
  }

  async find(
    retailer: string,
    client: number,
    jti: string,
    signal: AbortSignal,
  ): Promise<TokenRecord | null> {
    const found = await this.collection.findOne({ _id: idOf(retailer, client, jti), retailer }, { signal });
    return found ? recordOf(found) : null;
  }

  /** The tokens with a number smaller than `below`, most recently issued first. */
  async page(
    retailer: string,
    client: number,
    below: number | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<TokenRecord[]> {
    const filter = { retailer, client, ...(below !== undefined && { number: { $lt: below } }) };
    const found = await this.collection.find(filter, { signal }).sort({ number: -1 }).limit(count).toArray();
    return found.map(recordOf);
  }

  /** Uses before the recorded one, and uses of tokens that were not issued here, have no effect. */
  async recordUses({ uses }: Uses, signal: AbortSignal): Promise<void> {
    if (uses.length === 0) return;
    const operations = uses.map(({ retailer, client_id: client, jti, at }) => ({
      updateOne: {
        filter: { _id: idOf(retailer, client, jti), retailer },
        update: { $max: { lastUsed: new Date(at) } },
      },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
  }
}
