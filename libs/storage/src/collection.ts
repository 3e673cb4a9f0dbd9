import type { Collection, Db, Document, IndexDescriptionInfo } from 'mongodb';
import './driver-types';
import type { Log } from '@receipts/kernel';

export interface IndexDeclaration {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique?: boolean;
  /** Only matching documents are indexed, and only queries that contain this condition can use the index. */
  readonly partial?: Document;
  readonly sparse?: boolean;
  /** Documents are deleted this many seconds after the date in the indexed field. */
  readonly expireAfterSeconds?: number;
}

export interface CollectionDeclaration {
  readonly name: string;
  readonly indexes: readonly IndexDeclaration[];
}

type IndexFacts = Pick<IndexDescriptionInfo, 'key' | 'unique' | 'sparse' | 'expireAfterSeconds'>;

/**
 * How many members of a replica set must be ready to commit an index: a number, or the name of a quorum. MongoDB waits
 * without a limit for all voting members by default, so a service does not start while one of them is down.
 */
export type CommitQuorum = number | 'majority' | 'votingMembers';

/**
 * Building an index on a large collection takes longer than an ordinary call may. The server continues after this time,
 * and the next start waits for the same build.
 */
const indexBuildTimeoutMs = 10 * 60_000;

const comparable = (
  { key, unique, sparse, expireAfterSeconds }: IndexFacts,
  partial: Document | undefined,
) => ({
  key,
  unique: unique ?? false,
  partial: partial ?? null,
  sparse: sparse ?? false,
  expireAfterSeconds: expireAfterSeconds ?? null,
});

/** The order of the members of a key matters, so the JSON texts are compared. */
function differences(index: IndexDeclaration, found: IndexDescriptionInfo): string[] {
  const declared = comparable(index, index.partial);
  const existing = comparable(found, found.partialFilterExpression);
  const names = Object.keys(declared) as (keyof typeof declared)[];
  return names.filter((name) => JSON.stringify(declared[name]) !== JSON.stringify(existing[name]));
}

async function existingIndexes(collection: Collection): Promise<Map<string, IndexDescriptionInfo>> {
  try {
    const indexes = (await collection.listIndexes().toArray()) as IndexDescriptionInfo[];
    return new Map(indexes.map((index) => [index.name ?? '', index]));
  } catch (error) {
    const namespaceNotFound = 26;
    if ((error as { code?: unknown }).code === namespaceNotFound) return new Map();
    throw error;
  }
}

/**
 * Opens a collection and creates missing indexes. Existing indexes are never dropped or changed: one that
 * differs from its declaration, or is undeclared, is logged for an operator to decide.
 * @param commitQuorum a standalone server accepts only undefined
 * @throws Error if an index that must be unique is not unique, because the service then cannot keep its guarantees
 */
export async function openCollection<T extends Document>(
  db: Db,
  declaration: CollectionDeclaration,
  { log, commitQuorum }: { readonly log: Log; readonly commitQuorum?: CommitQuorum | undefined },
): Promise<Collection<T>> {
  const { name, indexes } = declaration;
  const collection = db.collection<T>(name);
  const existing = await existingIndexes(collection as unknown as Collection);
  for (const index of indexes) {
    const found = existing.get(index.name);
    if (!found) continue;
    const drift = differences(index, found);
    if (drift.length === 0) continue;
    if (index.unique && !found.unique) {
      throw new Error(`the index ${index.name} of ${name} exists but is not unique`);
    }
    log.error('an index differs from its declaration', { collection: name, index: index.name, drift });
  }
  const declaredNames = new Set(indexes.map((index) => index.name));
  const undeclared = [...existing.keys()].filter((found) => found !== '_id_' && !declaredNames.has(found));
  if (undeclared.length > 0) log.warn('undeclared indexes exist', { collection: name, undeclared });

  const missing = indexes.filter((index) => !existing.has(index.name));
  if (missing.length > 0) {
    const descriptions = missing.map(
      ({ name: indexName, key, unique, partial, sparse, expireAfterSeconds }) => ({
        name: indexName,
        key: { ...key },
        ...(unique && { unique }),
        ...(partial && { partialFilterExpression: partial }),
        ...(sparse && { sparse }),
        ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
      }),
    );
    await collection.createIndexes(descriptions, {
      ...({ socketTimeoutMS: indexBuildTimeoutMs } as object),
      ...(commitQuorum !== undefined && { commitQuorum }),
    });
    log.info('created indexes', { collection: name, created: missing.map((index) => index.name) });
  }
  return collection;
}
