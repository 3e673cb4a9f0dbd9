import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** A consumer or an address that has unsubscribed from receipts. Only hashes are stored, and they are kept for ever. */
export interface OptOutDocument {
  /** The retailer, and the hash of the consumer's identifier or of the address. */
  readonly _id: string;
  readonly retailer: string;
  readonly at: Date;
}

/** Hashes of an identifier and of an address; null if there is none. */
export interface OptOutKeys {
  readonly person?: string | null | undefined;
  readonly addresses: readonly string[];
}

export const optOutsDeclaration: CollectionDeclaration = { name: 'opt_outs', indexes: [] };

const personId = (retailer: string, person: string) => `${retailer}|person|${person}`;
const addressId = (retailer: string, address: string) => `${retailer}|address|${address}`;

const idsOf = (retailer: string, { person, addresses }: OptOutKeys): string[] => [
  ...(person === null || person === undefined ? [] : [personId(retailer, person)]),
  ...addresses.map((address) => addressId(retailer, address)),
];

export class OptOuts {
  constructor(private readonly collection: Collection<OptOutDocument>) {}

  /** Repeating the call has no effect. */
  async add(retailer: string, keys: OptOutKeys, at: Date, signal: AbortSignal): Promise<void> {
    const operations = idsOf(retailer, keys).map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { retailer, at } }, upsert: true },
    }));
    await this.collection.bulkWrite(operations, { ordered: false, signal });
  }

  /** Whether the person has opted out, and which of the addresses have. */
  async of(
    retailer: string,
    keys: OptOutKeys,
    signal: AbortSignal,
  ): Promise<{ readonly person: boolean; readonly addresses: ReadonlySet<string> }> {
    const _id = { $in: idsOf(retailer, keys) };
    const found = await this.collection.find({ _id }, { projection: { _id: 1 }, signal }).toArray();
    const ids = new Set(found.map(({ _id: id }) => id));
    return {
      person: typeof keys.person === 'string' && ids.has(personId(retailer, keys.person)),
      addresses: new Set(keys.addresses.filter((address) => ids.has(addressId(retailer, address)))),
    };
  }
}
