import { randomBytes } from 'node:crypto';
import { sealer } from '@receipts/host';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { startDatabase } from '@receipts/testing';
import { signingKeysDeclaration, SigningKeys, type SigningKeyDocument } from './signing-keys';

let database: Database;
let collection: Collection<SigningKeyDocument>;
/** Each instance acts like a separate process. */
let processes: SigningKeys[];

beforeAll(async () => {
  database = await startDatabase('delivery');
});
afterAll(() => database.close());
beforeEach(async () => {
  collection = await database.collection<SigningKeyDocument>({
    ...signingKeysDeclaration,
    name: `signing_keys_${newId()}`,
  });
  const sealed = sealer(randomBytes(32).toString('base64'));
  processes = Array.from({ length: 8 }, () => new SigningKeys(collection, sealed, () => new Date()));
});

const listed = async () => (await (processes[0] as SigningKeys).list()).map(({ kid }) => kid);

it('creates a single first key if several processes start at once, and all of them sign with it', async () => {
  await Promise.all(processes.map((keys) => keys.ensureFirst()));
  const kids = await listed();
  expect(kids).toHaveLength(1);
  const current = await Promise.all(processes.map((keys) => keys.current()));
  expect(current.map(({ kid }) => kid)).toEqual(processes.map(() => kids[0]));
  await Promise.all(processes.map((keys) => keys.ensureFirst()));
  expect(await listed()).toEqual(kids);
});

it('stores the private key only in sealed form', async () => {
  await processes[0]?.ensureFirst();
  const [stored] = await collection.find().toArray();
  expect(Object.keys(stored?.publicKey ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y']);
  expect(() => JSON.parse(stored?.privateKey ?? '{}') as unknown).toThrow();
});

it('creates one key per concurrent rotation, and none for a retried rotation', async () => {
  await processes[0]?.ensureFirst();
  const first = await listed();
  const calls = processes.map((_keys, i) => `call-${i}`);
  const created = await Promise.all(processes.map((keys, i) => keys.rotate(calls[i] as string)));
  const kids = await listed();
  expect([...kids].sort()).toEqual([...first, ...created].sort());
  const repeated = await Promise.all(processes.map((keys, i) => keys.rotate(calls[i] as string)));
  expect(repeated).toEqual(created);
  expect(await listed()).toEqual(kids);
});
