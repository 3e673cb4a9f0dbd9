import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const local = path.resolve(__dirname, '..');

/** A clone whose npm and compiler only record that they were called. */
let clone: string;
const running: ChildProcess[] = [];
const at = (...names: string[]) => path.join(clone, ...names);
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
};
const calls = () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trimEnd().split('\n') : []);
const lockOf = (version: string) =>
  JSON.stringify({
    packages: { '': {}, 'node_modules/tool': { version }, 'node_modules/mac': { optional: true } },
  });
const npm = (lock: string) => `#!/usr/bin/env bash
echo "npm $*" >>"${at('calls')}"
printf %s '${lock}' >"${at('node_modules/.package-lock.json')}"
`;

beforeEach(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), 'receipts-clone-'));
  for (const name of ['bootstrap.mjs', 'run.mjs']) cpSync(path.join(local, name), at('deploy/local', name));
  write('package-lock.json', lockOf('1.0.0'));
  write(
    'node_modules/@typescript/native/bin/tsc',
    `require('fs').appendFileSync(${JSON.stringify(at('calls'))}, 'tsc\\n')`,
  );
  // It runs until its standard input ends.
  write('deploy/local/dist/start.js', "console.log('running'); process.stdin.resume();");
  write('deploy/local/dist/ends.js', '');
  write('bin/npm', npm(lockOf('1.0.0')));
  chmodSync(at('bin/npm'), 0o755);
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  rmSync(clone, { recursive: true, force: true });
});

const environment = () => ({ ...process.env, PATH: `${at('bin')}:${process.env['PATH']}` });
const command = (whole: string, program: string) => [
  at('deploy/local/run.mjs'),
  whole,
  `deploy/local/dist/${program}`,
];
const runs = (whole = 'platform') =>
  spawnSync(process.execPath, command(whole, 'ends.js'), { encoding: 'utf8', env: environment() });

/** A command whose program is running. */
async function started(): Promise<ChildProcess> {
  const child = spawn(process.execPath, command('platform', 'start.js'), {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}
const ended = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));
const install = 'npm ci --no-audit --no-fund --prefer-offline';
const ofPlatform = `${install} --workspace=libs --workspace=services --workspace=deploy/local`;

it('installs once, and compiles changed sources with each command', () => {
  write('bin/npm', npm('{"packages":{}}'));
  chmodSync(at('bin/npm'), 0o755);
  expect([runs().status, runs().status]).toEqual([0, 0]);
  expect(calls()).toEqual([ofPlatform, 'tsc', 'tsc']);
});

it('recognizes packages that the user has installed, and those of another version', () => {
  write('node_modules/.package-lock.json', lockOf('1.0.0'));
  runs();
  runs('everything');
  expect(calls()).toEqual(['tsc', 'tsc']);
  write('package-lock.json', lockOf('1.1.0'));
  runs('everything');
  expect(calls().slice(2)).toEqual([install, 'tsc']);
});

it('changes neither packages nor compiled code while a platform runs', async () => {
  const platform = await started();
  const before = calls();
  write('package-lock.json', lockOf('1.1.0'));
  const { status, stderr } = runs();
  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining(`Process ${platform.pid} runs from this folder`),
  ]);
  expect(calls()).toEqual(before);
  platform.stdin?.end();
  await ended(platform);
  runs();
  expect(calls().slice(before.length)).toEqual([ofPlatform, 'tsc']);
});

it('explains what to do if the running platform lacks what a command needs', async () => {
  const platform = await started();
  const before = calls();
  const { status, stderr } = runs('everything');
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`while process ${platform.pid} uses\nthis folder`),
  ]);
  expect(calls()).toEqual(before);
});

it('forgets a platform that was killed', async () => {
  const platform = await started();
  const before = calls();
  platform.kill('SIGKILL');
  await ended(platform);
  runs();
  expect(calls().slice(before.length)).toEqual(['tsc']);
});
