import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo, type EmbeddedMongo } from './index';
import { startProcess } from './testing/process';
import { errorOf, temporaryFolder } from './testing/server';

const credentials = { user: 'platform', password: 'p@ss, word=1' };

let folder: string;
let server: EmbeddedMongo;
beforeEach(async () => {
  folder = temporaryFolder();
  server = await startEmbeddedMongo({ path: folder, credentials });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const uriFor = (user: string, password: string, options = ''): string =>
  `mongodb://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${server.port}/?directConnection=true${options}`;

async function insertWith(uri: string): Promise<unknown> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000 });
  try {
    return await client.db('d').collection('c').insertOne({ x: 1 });
  } finally {
    await client.close();
  }
}

test('allows the official driver to log in with the password, with each mechanism', async () => {
  await insertWith(server.uri);
  await insertWith(uriFor('platform', credentials.password));
  await insertWith(uriFor('platform', credentials.password, '&authMechanism=SCRAM-SHA-256'));
  await insertWith(uriFor('platform', credentials.password, '&authSource=d'));
});

test.each([
  ['another password', () => uriFor('platform', 'p@ss, word=2', '&authMechanism=SCRAM-SHA-256'), 18],
  ['another user', () => uriFor('somebody', credentials.password, '&authMechanism=SCRAM-SHA-256'), 18],
  ['another mechanism', () => uriFor('platform', credentials.password, '&authMechanism=SCRAM-SHA-1'), 334],
  ['no password', () => `mongodb://127.0.0.1:${server.port}/?directConnection=true`, 13],
])('rejects %s', async (_name, uri, code) => {
  expect((await errorOf(insertWith(uri()))).code).toBe(code);
});

test('does not allow a SCRAM exchange to be shortened or replayed', async () => {
  const client = new MongoClient(`mongodb://127.0.0.1:${server.port}/?directConnection=true`, {
    maxPoolSize: 1,
  });
  const admin = client.db('admin');
  const say = (text: string) =>
    admin.command({ saslContinue: 1, conversationId: 1, payload: Buffer.from(text) });
  expect((await errorOf(say(''))).code).toBe(18);
  const payload = Buffer.from('n,,n=platform,r=abc');
  const begun = await admin.command({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload });
  expect(begun.done).toBe(false);
  const nonce = /^r=([^,]+)/.exec(Buffer.from(begun.payload.buffer).toString())![1]!;
  expect(nonce.startsWith('abc')).toBe(true);
  expect((await errorOf(say(`c=biws,r=${nonce},p=${Buffer.alloc(32).toString('base64')}`))).code).toBe(18);
  expect((await errorOf(say(''))).code).toBe(18);
  expect((await errorOf(admin.command({ listDatabases: 1 }))).code).toBe(13);
  await client.close();
});

test('reads the password from a file or the environment, and allows only the owner to access the folder', async () => {
  const file = join(folder, 'password');
  writeFileSync(file, 'secret\n');
  const path = join(folder, 'data');
  const child = await startProcess(path, ['--user', 'u', '--password-file', file]);
  await insertWith(child.uri.replace('//', '//u:secret@'));
  expect((await errorOf(insertWith(child.uri))).code).toBe(13);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  for (const name of ['data.mdb', 'lock.mdb', 'log.0', 'log.1', 'server.lock'])
    expect([name, statSync(join(path, name)).mode & 0o077]).toEqual([name, 0]);
  expect(await child.end('SIGTERM')).toBe(0);
  expect((await errorOf(startProcess(path, ['--user', 'u']))).message).toContain(
    '--password-file is required',
  );
});
