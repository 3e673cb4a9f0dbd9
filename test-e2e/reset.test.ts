import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { freePort } from '@receipts/testing';
import { MongoClient } from 'mongodb';
import { ownPlatform, sharedInfrastructure } from './harness/own-platform';

const dist = path.resolve(__dirname, '../deploy/local/dist');
/** The services that declare queues and databases; others would only take time to start. */
const instances = { gateway: 0, ingest: 0, transform: 0, delivery: 0, identifier: 0 };
let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-reset-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const start = (): Promise<Platform> =>
  ownPlatform({ instances }, { ...sharedInfrastructure(), DATA_DIR: dataDir });

async function run(script: 'start' | 'reset', ...args: string[]) {
  const env = {
    ...process.env,
    ...sharedInfrastructure(),
    BROKER_MANAGEMENT_URL: process.env['TEST_BROKER_MANAGEMENT_URL'],
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
  };
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [path.join(dist, `${script}.js`), ...args], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, output: out + err }),
    );
  });
}

async function databases(platform: string): Promise<string[]> {
  const client = await MongoClient.connect(process.env['TEST_MONGODB_URI'] ?? '');
  const { databases: all } = await client.db().admin().listDatabases();
  await client.close();
  return all.map(({ name }) => name).filter((name) => name.startsWith(platform.replaceAll('-', '_')));
}

it('a start reports remains of a deleted data folder in one line, and reset removes them', async () => {
  const first = await start();
  const { name } = first;
  expect(await run('reset', '--yes')).toEqual({
    code: 1,
    output: expect.stringMatching(/^Process \d+ is already running a platform on the data folder/),
  });
  await first.stop();
  expect((await databases(name)).length).toBeGreaterThan(1);
  rmSync(dataDir, { recursive: true });

  const { code, output } = await run('start');
  expect(code).toBe(1);
  const [, said, ...more] = output.trim().split('\n');
  expect(said).toMatch(
    new RegExp(`^An earlier platform has left .* ${name} on amqp://.* and mongodb://.*npm run reset`),
  );
  expect(more).toEqual([]);

  const unasked = await run('reset');
  expect([unasked.code, unasked.output]).toEqual([1, expect.stringContaining('npm run reset -- --yes')]);
  expect((await databases(name)).length).toBeGreaterThan(1);

  const reset = await run('reset', '--yes');
  expect([reset.code, reset.output]).toEqual([0, expect.stringMatching(/Removed\.\n$/)]);
  expect(await databases(name)).toEqual([]);
  expect(existsSync(dataDir)).toBe(false);
  const second = await start();
  expect(second.name).toBe(name);
  await second.stop();
  expect((await run('reset', '--yes')).code).toBe(0);
});
