import { readFileSync } from 'node:fs';
import { BSON, type Db, type Document } from 'mongodb';

/**
 * Inserts documents as an earlier release has stored them.
 * @param file the documents by collection name, in MongoDB's extended JSON
 */
export async function putDocuments(db: Db, file: string): Promise<void> {
  const collections = BSON.EJSON.parse(readFileSync(file, 'utf8')) as Record<string, Document[]>;
  for (const [name, documents] of Object.entries(collections)) {
    await db.collection(name).insertMany(documents);
  }
}
