import { createHash } from 'node:crypto';
import { personHash } from '@receipts/contracts';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { addressHash } from '../domain/addresses';

/**
 * A consumer and an address to which receipts were sent. The links for unsubscribing refer to it, so it is kept for ever;
 * it outlives the receipts and does not grow with them.
 */
export interface RecipientDocument {
  /** Derived from the other fields. */
  readonly _id: string;
  readonly retailer: string;
  /** Absent for an address that is no known consumer's, and once the consumer is erased. */
  readonly identifier?: string;
  /** The hash of the consumer's identifier. */
  readonly person?: string;
  /** The hash of the address. */
  readonly address: string;
}

export const recipientsDeclaration: CollectionDeclaration = {
  name: 'recipients',
  indexes: [{ name: 'by_person', key: { retailer: 1, person: 1 }, partial: { person: { $exists: true } } }],
};

const idDigits = 24;

export interface Recipient {
  readonly retailer: string;
  /** The consumer whose address it is; null if it is nobody's, or another person's. */
  readonly identifier: string | null;
  readonly address: string;
}

/** An id in the form of other ids, because tokens of links contain one. */
export function recipientIdOf({ retailer, identifier, address }: Recipient): string {
  const text = JSON.stringify([retailer, identifier, addressHash(address)]);
  return createHash('sha256').update(text).digest('hex').slice(0, idDigits);
}

export class Recipients {
  constructor(private readonly collection: Collection<RecipientDocument>) {}

  /** Repeating the call has no effect. */
  async add(recipient: Recipient, signal: AbortSignal): Promise<void> {
    const { retailer, identifier, address } = recipient;
    const consumer = identifier === null ? {} : { identifier, person: personHash(identifier) };
    await this.collection.updateOne(
      { _id: recipientIdOf(recipient) },
      { $set: { retailer, address: addressHash(address), ...consumer } },
      { upsert: true, signal },
    );
  }

  async find(retailer: string, id: string, signal: AbortSignal): Promise<RecipientDocument | null> {
    return this.collection.findOne({ _id: id, retailer }, { signal });
  }

  /** Removes the identifiers of erased consumers; their hashes remain. */
  async forget(retailer: string, persons: readonly string[], signal: AbortSignal): Promise<void> {
    if (persons.length === 0) return;
    const filter = { retailer, person: { $in: [...persons] } };
    await this.collection.updateMany(filter, { $unset: { identifier: '' } }, { signal });
  }
}
