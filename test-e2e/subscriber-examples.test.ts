import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createReceiptsClient, dataOf } from '@receipts/client';
import { until } from '@receipts/testing';
import { aReceipt } from './harness/receipts';
import { sharedPlatform } from './harness/shared-platform';

const { credentials } = sharedPlatform();
let folder: string;
const running: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-examples-'));
  writeFileSync(path.join(folder, 'credentials.json'), JSON.stringify(credentials));
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the operator's command line and returns its JSON output. */
async function operator(...args: string[]): Promise<string> {
  const env = { ...process.env, BASE_URL: credentials.baseUrl, OPERATOR_TOKEN: credentials.operator.token };
  const script = path.resolve(__dirname, '../services/admin/dist/operations/commands/operator.js');
  return (await promisify(execFile)(process.execPath, [script, ...args, '--json'], { env })).stdout;
}

/** Runs an example in a process and returns its output so far. */
function run(name: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(
    process.execPath,
    [path.resolve(__dirname, '../deploy/examples/subscribers', name), ...args],
    {
      env: { ...process.env, CREDENTIALS: path.join(folder, 'credentials.json'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.push(child);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const says = (text: string) =>
    until(`${name} says ${text}`, () => out.includes(text)).catch((error: Error) => {
      throw new Error(`${error.message}; its output: ${out}`);
    });
  return { child, says };
}

const client = createReceiptsClient({ baseUrl: credentials.baseUrl, credential: credentials.bearer });
const post = async () => (await dataOf(client.POST('/receipts', { body: aReceipt() as never }))).id;

it('feed.mjs prints events, and continues where it stopped', async () => {
  const env = { CURSOR: path.join(folder, 'cursor') };
  const first = run('feed.mjs', env, 'receipt.created');
  await first.says('waiting for receipt.created');
  await first.says(`receipt.created ${await post()}`);
  first.child.kill('SIGKILL');
  const missed = await post();
  await run('feed.mjs', env).says(`receipt.created ${missed}`);
});

it('webhook.mjs prints what it receives', async () => {
  const { child, says } = run('webhook.mjs', {}, 'receipt.created');
  await says('listens on');
  await says(`receipt.created ${await post()}`);
  child.kill('SIGINT');
  await until('its endpoint is gone', async () => {
    const { endpoints } = await dataOf(client.GET('/webhooks/endpoints'));
    return !endpoints.some(({ description }) => description === 'example');
  });
});

it('broker.mjs prints what its queue receives, including messages from before its start', async () => {
  const file = path.join(folder, 'subscription.json');
  const subscription = ['demo', 'example'];
  writeFileSync(file, await operator('subscription', 'create', ...subscription, 'receipt.created'));
  const missed = await post();
  const { says } = run('broker.mjs', {}, file);
  await says('waiting for receipt.created');
  await says(`receipt.created ${missed}`);
  await says(`receipt.created ${await post()}`);
  expect(await operator('subscription', 'list', 'demo')).toContain('"name":"example"');
  expect(await operator('subscription', 'delete', ...subscription)).toContain('"deleted":true');
  expect(await operator('subscription', 'list', 'demo')).not.toContain('"name":"example"');
});
