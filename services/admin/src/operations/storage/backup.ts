import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BSON, MongoClient, type Collection, type Db, type Document } from 'mongodb';

/** The document count of a collection, and the hash of its documents, sorted by id. */
export interface CollectionSum {
  readonly database: string;
  readonly collection: string;
  readonly documents: number;
  readonly sha256: string;
}

/** The contents of a backup's `manifest.json`. */
export interface BackupManifest {
  readonly platform: string;
  readonly begun: string;
  readonly ended: string;
  readonly collections: readonly CollectionSum[];
}

const serverSelectionTimeoutMs = 5_000;
const manifestFile = 'manifest.json';
const insertedAtOnce = 500;
const lengthBytes = 4;

/**
 * The owners of databases, in backup order: services that copy data come before the owners of that data, and receipts
 * come last. Data added during the backup is then in the owner's backup but missing from the copies, which catch up. In
 * the reverse order, the copies would contain data that the owner does not have.
 */
const owners = ['delivery', 'identifier', 'ingest', 'transform', 'admin', 'receipt_store'];

/**
 * @throws Error with a hint to check whether the platform is running, because the database of `npm start` has a
 * different port after each start
 */
export function connect(uri: string): Promise<MongoClient> {
  return MongoClient.connect(uri, { serverSelectionTimeoutMS: serverSelectionTimeoutMs }).catch(
    (cause: Error) => {
      throw new Error(`MongoDB is not responding (${cause.message}). Is the platform running?`, { cause });
    },
  );
}

/**
 * The databases of a platform. They are not taken from the server's list, which omits databases that the user may not
 * read.
 */
const databasesOf = (platform: string) => owners.map((owner) => `${platform}_${owner}`);

/** @throws Error if the user may not read the database */
async function collectionsOf(db: Db): Promise<{ name: string; options: Document }[]> {
  const found = await db
    .listCollections()
    .toArray()
    .catch((cause: Error) => {
      throw new Error(`cannot read ${db.databaseName}: ${cause.message}`, { cause });
    });
  return found
    .filter(({ name, type }) => type !== 'view' && !name.startsWith('system.'))
    .map(({ name, ...rest }) => ({ name, options: (rest as { options?: Document }).options ?? {} }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

const documentsOf = (collection: Collection) =>
  collection.find(
    {},
    { raw: true, sort: { _id: 1 }, allowDiskUse: true },
  ) as unknown as AsyncIterable<Buffer>;

/** Passes documents through while counting and hashing them. */
class Sum extends Transform {
  documents = 0;
  private readonly hash: Hash = createHash('sha256');

  override _transform(document: Buffer, _encoding: string, done: (error: null, data: Buffer) => void): void {
    this.documents++;
    this.hash.update(document);
    done(null, document);
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}

async function sumOf(collection: Collection): Promise<{ documents: number; sha256: string }> {
  const sum = new Sum();
  for await (const document of documentsOf(collection)) sum._transform(document, '', () => undefined);
  return { documents: sum.documents, sha256: sum.digest() };
}

/** Those of the databases that have collections. */
async function existingOf(client: MongoClient, databases: readonly string[]): Promise<string[]> {
  const existing: string[] = [];
  for (const name of databases) {
    if ((await collectionsOf(client.db(name))).length > 0) existing.push(name);
  }
  return existing;
}

/** Every service creates its collections when it starts. @throws Error if one of the databases is missing */
function checkComplete(databases: readonly string[], existing: readonly string[], where: string): void {
  const missing = databases.filter((name) => !existing.includes(name));
  if (missing.length > 0) throw new Error(`${where} lacks ${missing.join(', ')}`);
}

async function saveCollection(
  db: Db,
  { name, options }: { name: string; options: Document },
  folder: string,
): Promise<CollectionSum> {
  const collection = db.collection(name);
  const indexes = await collection.listIndexes().toArray();
  const metadata = BSON.EJSON.stringify({ indexes, options, collectionName: name, type: 'collection' });
  const gzippedTo = (file: string) => [
    createGzip(),
    createWriteStream(path.join(folder, file), { flags: 'wx' }),
  ];
  await pipeline([Readable.from([metadata]), ...gzippedTo(`${name}.metadata.json.gz`)]);
  const sum = new Sum();
  await pipeline([Readable.from(documentsOf(collection)), sum, ...gzippedTo(`${name}.bson.gz`)]);
  return { database: db.databaseName, collection: name, documents: sum.documents, sha256: sum.digest() };
}

/**
 * Writes every database of a platform into a new folder, in the layout of mongodump with `--gzip`, plus a
 * manifest with counts and hashes. The platform may keep running.
 * @throws Error if the folder is not empty, or a database of the platform is missing or cannot be read
 */
export async function backUp(client: MongoClient, platform: string, folder: string): Promise<BackupManifest> {
  const begun = new Date().toISOString();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
  const databases = databasesOf(platform);
  checkComplete(databases, await existingOf(client, databases), 'the server');
  const collections: CollectionSum[] = [];
  for (const name of databases) {
    const db = client.db(name);
    await mkdir(path.join(folder, name), { mode: 0o700 });
    for (const each of await collectionsOf(db)) {
      collections.push(await saveCollection(db, each, path.join(folder, name)));
    }
  }
  const manifest: BackupManifest = { platform, begun, ended: new Date().toISOString(), collections };
  // Written last: a folder without a manifest is an unfinished backup.
  await writeFile(path.join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

/** Yields the documents of a BSON file. */
async function* documentsIn(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file).pipe(createGunzip())) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    while (rest.length - at >= lengthBytes) {
      const end = at + rest.readInt32LE(at);
      if (end > rest.length) break;
      yield rest.subarray(at, end);
      at = end;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new Error(`${file} ends in the middle of a document`);
}

/** Preserves the BSON types that JavaScript does not distinguish, so that restored documents are byte-identical. */
const exactly = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

async function loadCollection(db: Db, wanted: CollectionSum, folder: string): Promise<void> {
  const base = path.join(folder, wanted.database, wanted.collection);
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(`${base}.metadata.json.gz`).pipe(createGunzip()))
    chunks.push(chunk as Buffer);
  const { indexes, options } = BSON.EJSON.parse(Buffer.concat(chunks).toString()) as {
    indexes: (Document & { key: Document; name: string })[];
    options: Document;
  };
  const collection = await db.createCollection(wanted.collection, options);
  let batch: Document[] = [];
  const flush = async () => {
    if (batch.length > 0) await collection.insertMany(batch, { ordered: false });
    batch = [];
  };
  for await (const bytes of documentsIn(`${base}.bson.gz`)) {
    batch.push(BSON.deserialize(bytes, exactly));
    if (batch.length === insertedAtOnce) await flush();
  }
  await flush();
  const found = await sumOf(collection);
  if (found.documents !== wanted.documents || found.sha256 !== wanted.sha256) {
    throw new Error(
      `${wanted.database}.${wanted.collection} differs from the backup: ${found.documents} of ` +
        `${wanted.documents} documents` +
        (found.documents === wanted.documents ? ', with another checksum' : ''),
    );
  }
  // Created after the comparison: a TTL index immediately deletes expired documents.
  const secondary = indexes
    .filter(({ name }) => name !== '_id_')
    .map(({ v: _v, ns: _ns, ...index }) => index);
  if (secondary.length > 0) await collection.createIndexes(secondary);
}

/**
 * Restores a backup into a server that has no data of the platform, under the same or another platform name,
 * and compares counts and hashes with the manifest.
 * @throws Error if a database is missing in the backup, exists already or cannot be read, or the restored documents
 *   differ from the saved documents
 */
export async function restore(
  client: MongoClient,
  folder: string,
  platform?: string,
): Promise<BackupManifest> {
  const manifest = JSON.parse(await readFile(path.join(folder, manifestFile), 'utf8')) as BackupManifest;
  const named = platform ?? manifest.platform;
  const saved = manifest.collections.map(({ database }) => database);
  checkComplete(databasesOf(manifest.platform), saved, 'the backup');
  const [present] = await existingOf(client, databasesOf(named));
  if (present !== undefined) {
    throw new Error(`${present} already exists: restore into a server without this database`);
  }
  for (const each of manifest.collections) {
    const database = `${named}${each.database.slice(manifest.platform.length)}`;
    await loadCollection(client.db(database), each, folder);
  }
  return manifest;
}
