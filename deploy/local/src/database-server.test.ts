import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '@receipts/testing';

const infrastructure = path.resolve(__dirname, '../dist/infrastructure.js');
const folder = mkdtempSync(path.join(os.tmpdir(), 'mongod-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Takes the arguments of mongod and listens on its port. */
const mongod = `#!${process.execPath}
if (!process.argv.includes('--version'))
  require('node:net').createServer().listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
`;
const launcher = `
require(${JSON.stringify(infrastructure)}).findDatabase({ dataDir: ${JSON.stringify(folder)} }).then(({ origin, pid }) => {
  console.log(JSON.stringify({ origin, pid }));
  setInterval(() => {}, 1000);
});
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('stops a private mongod when its launcher is killed', async () => {
  writeFileSync(path.join(folder, 'mongod'), mongod);
  chmodSync(path.join(folder, 'mongod'), 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const child = spawn(process.execPath, ['-e', launcher], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { origin, pid } = JSON.parse(line.toString()) as { origin: string; pid: number };
  expect(origin).toBe('private mongod');
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await until('the end of mongod', () => !isAlive(pid));
});
