import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { operator, sharedPlatform } from './harness/shared-platform';

const program = path.resolve(__dirname, '../deploy/local/dist/demo/main.js');
const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-demo-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('npm run demo creates data for three retailers, and stores nothing twice', async () => {
  writeFileSync(path.join(folder, 'demo-credentials.json'), JSON.stringify(sharedPlatform().credentials));
  const demo = async () => {
    const env = { ...process.env, DATA_DIR: folder };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, '--count', '60', '--days', '3'],
      { env },
    );
    return [...stdout.matchAll(/: (\d+) new receipts/g)].map(([, count]) => Number(count));
  };
  const first = await demo();
  expect(first).toHaveLength(3);
  for (const count of first) expect(count).toBeGreaterThan(10);
  for (const count of await demo()) expect(count).toBeLessThan(3);
  const api = await operator();
  for (const id of ['demo-cafe', 'demo-fashion', 'demo-grocery']) {
    expect(await api.get(`/operator/retailers/${id}`)).toMatchObject({ status: 200 });
  }
});
