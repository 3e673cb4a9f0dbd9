import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const packageFolder = path.resolve(__dirname, '..');
const root = path.resolve(packageFolder, '../..');
let project: string;

/** Runs a command in the project, outside this repository. */
const inProject = (command: string, ...args: string[]) => run(command, args, { cwd: project });

beforeAll(async () => {
  project = mkdtempSync(path.join(os.tmpdir(), 'receipts-client-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: packageFolder,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  await inProject('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const use = `const client = createReceiptsClient({ baseUrl: 'http://127.0.0.1:9', credential: { token: 't' } });
if (typeof client.GET !== 'function') throw new Error('no client');`;

it('can be installed without packages of this repository', () => {
  const lock = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(lock.packages).filter((name) => name.includes('@receipts/'));
  expect(installed).toEqual(['node_modules/@receipts/client']);
});

it('can be imported by an ES module', async () => {
  writeFileSync(
    path.join(project, 'use.mjs'),
    `import { ApiError, createReceiptsClient } from '@receipts/client';\n${use}\nconsole.log(typeof ApiError);`,
  );
  expect((await inProject(process.execPath, 'use.mjs')).stdout).toBe('function\n');
});

it('can be required by a CommonJS module, as the same instance', async () => {
  writeFileSync(
    path.join(project, 'use.cjs'),
    `const { ApiError, createReceiptsClient } = require('@receipts/client');\n${use}
import('@receipts/client').then((module) => console.log(module.ApiError === ApiError));`,
  );
  expect((await inProject(process.execPath, 'use.cjs')).stdout).toBe('true\n');
});

it.each(['.mts', '.cts'])('has types for a %s file', async (extension) => {
  const file = `typed${extension}`;
  writeFileSync(
    path.join(project, file),
    `import { createReceiptsClient, dataOf } from '@receipts/client';
export async function total(token: string): Promise<number> {
  const client = createReceiptsClient({ baseUrl: 'http://127.0.0.1:9', credential: { token } });
  const { total } = await dataOf(client.GET('/receipts/{id}', { params: { path: { id: '1' } } }));
  // @ts-expect-error There is no such path.
  void client.GET('/nowhere');
  return total;
}
`,
  );
  const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2023', '--types', 'node'];
  const typeRoots = ['--typeRoots', path.join(root, 'node_modules/@types')];
  const compiled = inProject(process.execPath, compiler, ...options, ...typeRoots, file);
  await compiled.catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
});
