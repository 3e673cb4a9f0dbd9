import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from '@receipts/testing';
import { FakePlatform } from './testing/fake-platform';

const run = promisify(execFile);
const packageFolder = path.resolve(__dirname, '..');
const libs = path.resolve(packageFolder, '../../libs');
let project: string;

/** Packs a package as for publication. Returns the name of the file. */
async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  return `./${filename}`;
}

beforeAll(async () => {
  project = mkdtempSync(path.join(os.tmpdir(), 'till-agent-package-'));
  const folders = [path.join(libs, 'client'), path.join(libs, 'printer-commands'), packageFolder];
  const files = [];
  for (const folder of folders) files.push(await pack(folder));
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, ...files], { cwd: project });
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const command = () => path.join(project, 'node_modules/.bin/till-agent');

it('depends only on published packages of this repository', () => {
  const lock = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(lock.packages).filter((name) => name.includes('@receipts/'));
  expect(installed).toEqual(
    ['client', 'printer-commands', 'till-agent'].map((name) => `node_modules/@receipts/${name}`),
  );
});

it.each(['systemd/till-agent.service', 'windows/till-agent.xml', 'README.md', 'LICENSE'])(
  'contains %s',
  (file) => {
    const installed = path.join(project, 'node_modules/@receipts/till-agent', file);
    expect(readFileSync(installed, 'utf8')).toBe(readFileSync(path.join(packageFolder, file), 'utf8'));
  },
);

it('runs by its name, accepts a slip and sends it', async () => {
  const platform = await FakePlatform.start();
  const data = path.join(project, 'data');
  const flags = ['--url', platform.url, '--key', 'k', '--secret', 'c2VjcmV0', '--listen', '127.0.0.1:0'];
  const agent = spawn(command(), [...flags, '--http', '127.0.0.1:0', '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let log = '';
    agent.stderr.on('data', (text: Buffer) => (log += text.toString()));
    const url = await until('the start', () => /status at (\S+);/.exec(log)?.[1]);
    expect((await fetch(`${url}print`, { method: 'POST', body: 'a slip' })).status).toBe(201);
    await until('the slip', () => platform.posts.some(({ body }) => body === 'a slip'));
  } finally {
    agent.kill('SIGKILL');
    platform.close();
  }
});
