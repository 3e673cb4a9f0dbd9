import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-beside-'));

beforeAll(() =>
  writeFileSync(path.join(folder, 'demo-credentials.json'), JSON.stringify(sharedPlatform().credentials)),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The time of the last change of each package, and of the compiled code of each workspace. */
function stamps(): Record<string, number> {
  const packages = readdirSync(path.join(root, 'node_modules')).filter((name) => !name.startsWith('.'));
  const workspaces = ['libs', 'services'].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}/dist/tsconfig.tsbuildinfo`),
  );
  const files = ['.package-lock.json', ...packages].map((name) => `node_modules/${name}`);
  const all = [...files, ...workspaces, 'deploy/local/dist/tsconfig.tsbuildinfo'];
  return Object.fromEntries(
    all.flatMap((file) => {
      const stat = statSync(path.join(root, file), { throwIfNoEntry: false });
      return stat ? [[file, stat.mtimeMs]] : [];
    }),
  );
}

// Benchmarks and faults take long, so these commands end as soon as they have read their arguments.
it.each([
  { name: 'demo', args: ['--count', '12', '--days', '1'], status: 0 },
  { name: 'operator', args: ['status'], status: 0 },
  { name: 'backup', args: ['save', path.join(folder, 'backup')], status: 0 },
  { name: 'bench', args: ['--unknown'], status: 1 },
  { name: 'chaos', args: ['--only', 'a fault that does not exist'], status: 1 },
  { name: 'verify', args: ['--help'], status: 0 },
])('npm run $name leaves the packages and the compiled code of a running platform alone', async (command) => {
  const { name, args, status } = command;
  const before = stamps();
  expect(Object.keys(before).length).toBeGreaterThan(100);
  const env = { ...process.env, DATA_DIR: folder, MONGODB_URI: '' };
  const code = await promisify(execFile)('npm', ['run', name, '--', ...args], { cwd: root, env }).then(
    () => 0,
    (error: { code?: number }) => error.code,
  );
  expect(code).toBe(status);
  expect(stamps()).toEqual(before);
});
