import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createReceiptsClient, dataOf } from '@receipts/client';
import type { DemoCredentials } from '@receipts/local';
import { sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');
const mappings = path.join(root, 'deploy/examples/mappings');
const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-provision-'));
const file = path.join(folder, 'retailer.json');
const out = path.join(folder, 'deep/credentials.json');
const id = 'provisioned';
const { baseUrl, operator } = sharedPlatform().credentials;

beforeAll(() => {
  const demo = JSON.parse(readFileSync(path.join(root, 'deploy/examples/retailers/demo.json'), 'utf8'));
  writeFileSync(file, JSON.stringify({ ...demo, retailer: { ...demo.retailer, id } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const provision = () =>
  promisify(execFile)(
    process.execPath,
    [
      path.join(root, 'services/admin/dist/operations/commands/provision.js'),
      '--file',
      file,
      '--mappings',
      mappings,
      '--out',
      out,
      '--base-url',
      baseUrl,
    ],
    { env: { OPERATOR_TOKEN: operator.token } },
  );
const credentials = () => JSON.parse(readFileSync(out, 'utf8')) as DemoCredentials;

/** The stores and the mappings with their versions, as visible to the new credentials. */
async function state({ bearer, urlSignature }: DemoCredentials) {
  const api = createReceiptsClient({ baseUrl, credential: { token: bearer.token } });
  const signing = createReceiptsClient({ baseUrl, credential: urlSignature });
  const { stores } = await dataOf(signing.GET('/stores'));
  const { mappings } = await dataOf(api.GET('/pos/mappings'));
  return {
    stores: stores.map(({ reference }) => reference),
    mappings: mappings.map(({ version, status }) => ({ version, status })),
  };
}

it('creates a retailer with stores, mappings and credentials, and creates nothing twice', async () => {
  await provision();
  const first = readFileSync(out, 'utf8');
  expect(JSON.parse(first)).toEqual({
    baseUrl,
    retailer: id,
    bearer: {
      kid: expect.stringMatching(/^.{20}$/),
      secret: expect.any(String),
      token: expect.any(String),
    },
    urlSignature: { key: expect.stringMatching(/^.{20}$/), secret: expect.any(String) },
    operator,
  });
  expect(statSync(out).mode & 0o077).toBe(0);
  const created = await state(credentials());
  expect(created).toEqual({
    stores: [2, 1],
    mappings: readdirSync(mappings).map(() => ({ version: 1, status: 'active' })),
  });
  await provision();
  expect(readFileSync(out, 'utf8')).toBe(first);
  expect(await state(credentials())).toEqual(created);

  rmSync(out);
  await provision();
  expect(credentials().bearer.kid).not.toBe((JSON.parse(first) as DemoCredentials).bearer.kid);
  expect(await state(credentials())).toEqual(created);
});
