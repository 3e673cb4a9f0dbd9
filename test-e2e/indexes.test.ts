import { MongoClient, type IndexDescriptionInfo } from 'mongodb';
import { sharedPlatform } from './harness/shared-platform';

/** The only unique indexes that do not begin with the retailer: what they keep apart belongs to the whole platform. */
const platformWide = [
  // A credential names no retailer, so its key leads to one.
  'admin.clients.by_key',
  'delivery.signing_keys.by_call',
];

let client: MongoClient;
let indexes: readonly (IndexDescriptionInfo & { readonly path: string })[];

beforeAll(async () => {
  const { uri, platform } = sharedPlatform().credentials.database;
  client = await MongoClient.connect(uri);
  const prefix = `${platform.replaceAll('-', '_')}_`;
  const owners = ['admin', 'delivery', 'identifier', 'ingest', 'receipt_store', 'transform'];
  const found = owners.map(async (owner) => {
    const db = client.db(prefix + owner);
    const collections = await db.listCollections().toArray();
    return Promise.all(
      collections.map(async ({ name }) => {
        const list = await db.collection(name).listIndexes().toArray();
        return list.map((index) => ({ ...index, path: `${owner}.${name}.${index.name}` }));
      }),
    );
  });
  indexes = (await Promise.all(found)).flat(2) as typeof indexes;
});
afterAll(() => client.close());

it('begins every unique index with the retailer, except those of the platform itself', () => {
  expect(indexes.length).toBeGreaterThan(50);
  const others = indexes.filter(
    ({ name, unique, key }) => name !== '_id_' && unique === true && Object.keys(key)[0] !== 'retailer',
  );
  expect(others.map(({ path }) => path).sort()).toEqual(platformWide);
});
