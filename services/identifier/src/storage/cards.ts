import type { CardWithCode } from '@receipts/contracts';
import { type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import type { CodeHashes } from '../domain/card';

export interface CardDocument {
  /** `retailer|card number` */
  readonly _id: string;
  readonly code: string;
}

export const cardsDeclaration: CollectionDeclaration = { name: 'cards', indexes: [] };

/** The number of codes that are hashed and written before yielding to other requests. */
const chunkCards = 500;

const keyOf = (retailer: string, cardNumber: string): string => `${retailer}|${cardNumber}`;

/** The cards of all retailers, with the hashes of their codes. */
export class Cards {
  constructor(
    private readonly collection: Collection<CardDocument>,
    private readonly hashes: CodeHashes,
  ) {}

  /** The hash of the code of a card; undefined if the retailer has no such card. */
  async codeOf(retailer: string, cardNumber: string, signal: AbortSignal): Promise<string | undefined> {
    const card = await this.collection.findOne({ _id: keyOf(retailer, cardNumber) }, { signal });
    return card?.code;
  }

  /** Adds cards, or changes their codes. An import that was interrupted can simply be retried. */
  async save(
    retailer: string,
    cards: readonly CardWithCode[],
  ): Promise<{ readonly imported: number; readonly replaced: number }> {
    let imported = 0;
    for (let at = 0; at < cards.length; at += chunkCards) {
      const operations = cards.slice(at, at + chunkCards).map(({ card_number, registration_code }) => ({
        updateOne: {
          filter: { _id: keyOf(retailer, card_number) },
          update: { $set: { code: this.hashes.of(retailer, card_number, registration_code) } },
          upsert: true,
        },
      }));
      const written = await this.collection.bulkWrite(operations, { ordered: false });
      imported += written.upsertedCount;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { imported, replaced: cards.length - imported };
  }
}
