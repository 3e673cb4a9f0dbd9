import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import { databaseTimeoutMs, type Migration } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { searchOf } from '../domain/identifier-search';
import { creationOrder, identifiersDeclaration, type IdentifierDocument } from './identifiers';

const pageMax = 200;

/**
 * Identifiers of releases without search have neither a search document nor a place in the order of creation. They get
 * both, in the order of their ids.
 */
export const oldIdentifiers: Migration = {
  name: 'search documents of identifiers',
  whileServing: true,
  async open(database, log) {
    const collection = await database.collection<IdentifierDocument>(identifiersDeclaration);
    const vocabulary = new Vocabulary(
      await database.collection<VocabularyDocument>(vocabularyCollection),
      log,
    );
    return async (after) => {
      const page = await collection
        .find({ _id: { $gt: after ?? '' } }, { signal: AbortSignal.timeout(databaseTimeoutMs) })
        .sort({ _id: 1 })
        .limit(pageMax)
        .toArray();
      await makeSearchable(page, collection, vocabulary);
      return page.length < pageMax ? null : (page.at(-1)?._id ?? null);
    };
  },
};

async function makeSearchable(
  page: readonly IdentifierDocument[],
  collection: Collection<IdentifierDocument>,
  vocabulary: Vocabulary,
): Promise<void> {
  // The types describe the present form only.
  const old = page.filter(({ search }: Partial<IdentifierDocument>) => search === undefined);
  if (old.length === 0) return;
  const made = old.map((document) => ({ ...document, search: searchOf(document) }));
  await collection.bulkWrite(
    made.map(({ _id, version, createdAt, search }) => ({
      updateOne: {
        // If it was changed meanwhile, the change has written the search document as well.
        filter: { _id, version, search: { $exists: false } },
        update: { $set: { search, seq: creationOrder(createdAt, _id) } },
      },
    })),
    { ordered: false },
  );
  await vocabulary.learn(made, { deadline: Date.now() + databaseTimeoutMs });
}
