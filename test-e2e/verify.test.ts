import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { startMongo, type Mongo } from '@receipts/testing';
import { MongoClient } from 'mongodb';
import { createStoreUsers, uriWithUser } from './harness/store-users';

const verify = path.resolve(__dirname, '../deploy/local/verify.mjs');
const run = (...args: string[]) => spawnSync(process.execPath, [verify, ...args], { encoding: 'utf8' });

it.each([
  [['--amqp', 'amqp://localhost']],
  [['--mongodb', 'mongodb://localhost', '--amqp', 'amqp://localhost', '--patience', '0']],
  [['--mongodb', 'mongodb://localhost', '--amqp', 'amqp://localhost', '--patience', 'long']],
])('rejects %j with its usage', (args) => {
  const { status, stderr } = run(...args);
  expect([status, stderr.includes('Usage: npm run verify')]).toEqual([2, true]);
});

it.each([
  ['mongodb://host', 'mongodb://me:secret@host/?authSource=admin'],
  ['mongodb://a:1,b:2/?replicaSet=rs0', 'mongodb://me:secret@a:1,b:2/?replicaSet=rs0&authSource=admin'],
  [
    'mongodb://root:x@a/test?authSource=test&tls=true&authMechanism=SCRAM-SHA-256',
    'mongodb://me:secret@a/?tls=true&authSource=admin',
  ],
  ['mongodb+srv://root:x@cluster.example', 'mongodb+srv://me:secret@cluster.example/?authSource=admin'],
])('connects to %s with another user', (uri, expected) => {
  expect(uriWithUser(uri, 'me', 'secret')).toBe(expected);
});

describe('the users of a platform', () => {
  let mongo: Mongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());

  it('exist on a server that has users, with their own databases only', async () => {
    const users = await createStoreUsers(mongo.uri, 'verify-users');
    const isEmbedded = (await versionOf(mongo.uri)) === 'embedded-mongo';
    expect(users === undefined).toBe(isEmbedded);
    if (!users) return;
    expect(users.uriOf('gateway')).toBeUndefined();
    const client = await MongoClient.connect(users.uriOf('receipt-store') ?? '');
    await client.db('verify_users_receipt_store').collection('things').insertOne({});
    await client.db('verify_users_receipt_store').dropDatabase();
    await client.close();
    await users.remove();
  });
});

async function versionOf(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri);
  const { gitVersion } = await client.db('admin').command({ buildInfo: 1 });
  await client.close();
  return gitVersion;
}
