import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from '@receipts/testing';
import { settingList, variableOf } from './settings';
import { FakePlatform } from './testing/fake-platform';
import { cut, FakePrinter } from './testing/test-agent';

const command = path.resolve(__dirname, '../dist/cli.js');
const readme = readFileSync(path.resolve(__dirname, '../README.md'), 'utf8');
const memoryBytesMax = 60 * 1_000_000;
let data: string;

beforeEach(() => {
  data = mkdtempSync(path.join(os.tmpdir(), 'till-agent-cli-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [command, ...args], {
    env: { PATH: process.env['PATH'] },
  }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}
const required = ['--url', 'http://127.0.0.1:9', '--key', 'k', '--secret', 'c2VjcmV0'];

it('--help and the README list every setting', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const name of Object.keys(settingList)) {
    expect(stdout).toContain(`--${name}`);
    expect(readme).toMatch(new RegExp(`^\\| \`--${name}\` +\\| \`${variableOf(name)}\``, 'm'));
  }
  expect((await run('--version')).stdout).toBe('1.0.0\n');
});

it.each<[string[], string]>([
  [[], 'Set --url or TILL_AGENT_URL.'],
  [['--url', 'receipts.example'], '--url must begin with https:// or http://.'],
  [['--url', 'http://x'], 'Set --key or TILL_AGENT_KEY.'],
  [[...required, '--qr'], '--qr requires --printer.'],
  [[...required, '--silence', '0'], '--silence must be a number from 0.1 to 600.'],
  [[...required, '--listen', 'x:y'], '--listen x:y: write [HOST:]PORT.'],
  [['--other'], "Unknown option '--other'"],
  [['print'], 'Unknown command "print".'],
])('rejects %j with the reason', async (args, message) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('resends all rejected jobs, or only the named jobs', async () => {
  expect((await run('resend', '--data', data)).stdout).toBe('No such slips were found.\n');
  for (const folder of ['refused', 'resend']) mkdirSync(path.join(data, folder));
  for (const name of ['1.job', '2.job']) writeFileSync(path.join(data, 'refused', name), '');
  expect((await run('resend', '2.job', '--data', data)).stdout).toBe('2.job\n');
  expect((await run('resend', '--data', data)).stdout).toBe('1.job\n');
});

it('uses less than 60 MB with thousands of jobs, and rejects a second agent on the same data', async () => {
  const platform = await FakePlatform.start();
  const printer = await FakePrinter.start();
  const flags = [
    '--url',
    platform.url,
    '--listen',
    '127.0.0.1:0',
    '--http',
    '127.0.0.1:0',
    '--data',
    data,
    '--key',
    'k',
    '--printer',
    `127.0.0.1:${printer.port}`,
  ];
  const agent = spawn(process.execPath, [command, ...flags], {
    env: { ...process.env, TILL_AGENT_SECRET: 'c2VjcmV0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let log = '';
    agent.stderr.on('data', (text: Buffer) => (log += text.toString()));
    const url = await until('the start', () => /status at (\S+);/.exec(log)?.[1]);
    expect(await run(...flags, '--secret', 'c2VjcmV0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another agent is using'),
    });
    const slip = readFileSync(path.resolve(__dirname, '../../examples/slips/escpos.bin'));
    const jobs = 1_000;
    let memory = 0;
    for (let n = 0; n < jobs; n++) {
      expect((await fetch(`${url}print`, { method: 'POST', body: slip })).status).toBe(201);
      if (n % 100 === 0) {
        const metrics = await (await fetch(`${url}metrics`)).text();
        memory = Math.max(memory, Number(/^till_agent_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]));
      }
    }
    await until('all jobs', () => platform.posts.length === jobs);
    expect(memory).toBeLessThan(memoryBytesMax);
    const long = Buffer.from(`long${' '.repeat(2_000_000)}${cut}`);
    expect((await fetch(`${url}print`, { method: 'POST', body: long })).status).toBe(201);
    await until(
      'the long slip',
      () => printer.text.endsWith(long.toString()) && platform.posts.length > jobs,
    );
    // Node.js warns of listeners that are never removed.
    expect(log).not.toContain('Warning');
    const exited = new Promise((resolve) => agent.once('exit', resolve));
    agent.kill('SIGTERM');
    expect(await exited).toBe(0);
  } finally {
    agent.kill('SIGKILL');
    platform.close();
    printer.close();
  }
});
