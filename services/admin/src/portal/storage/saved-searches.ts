import { newId } from '@receipts/kernel';
import type { CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

/** A list of receipts that a user of the portal opens again and again. */
export interface SavedSearchDocument {
  readonly _id: string;
  readonly retailer: string;
  /** The e-mail address of the user. */
  readonly user: string;
  readonly name: string;
  /** The search box and the filters, as in the address of the list. */
  readonly parameters: string;
}

export const savedSearchesDeclaration: CollectionDeclaration = {
  name: 'saved_searches',
  indexes: [{ name: 'user', key: { retailer: 1, user: 1, name: 1 }, unique: true }],
};

export const savedSearchesMax = 20;

type Owner = Pick<SavedSearchDocument, 'retailer' | 'user'>;

export class SavedSearches {
  constructor(private readonly collection: Collection<SavedSearchDocument>) {}

  /** Sorted by name. */
  list({ retailer, user }: Owner, signal: AbortSignal): Promise<SavedSearchDocument[]> {
    return this.collection
      .find({ retailer, user }, { signal })
      .sort({ name: 1 })
      .limit(savedSearchesMax)
      .toArray();
  }

  /** Replaces a search of the same name. */
  async save(
    { retailer, user, name, parameters }: Omit<SavedSearchDocument, '_id'>,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const update = { $set: { parameters }, $setOnInsert: { _id: newId(now.getTime()) } };
    await this.collection.updateOne({ retailer, user, name }, update, { upsert: true, signal });
  }

  async remove({ retailer, user, name }: Owner & { name: string }, signal: AbortSignal): Promise<void> {
    await this.collection.deleteOne({ retailer, user, name }, { signal });
  }

  /** Removes the searches of a retailer that contain one of these texts, whatever their case. */
  async forget(retailer: string, texts: readonly string[], signal: AbortSignal): Promise<void> {
    const wanted = texts.map((text) => text.toLowerCase());
    const named = ({ name, parameters }: SavedSearchDocument) =>
      [name, ...new URLSearchParams(parameters).values()].some((part) =>
        wanted.some((text) => part.toLowerCase().includes(text)),
      );
    const ids: string[] = [];
    for await (const search of this.collection.find({ retailer }, { signal })) {
      if (named(search)) ids.push(search._id);
    }
    if (ids.length > 0) await this.collection.deleteMany({ retailer, _id: { $in: ids } }, { signal });
  }
}
