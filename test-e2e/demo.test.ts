import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PortalVisitor } from './harness/portal-visitor';
import { operator, sharedPlatform } from './harness/shared-platform';

const program = path.resolve(__dirname, '../deploy/local/dist/demo/main.js');
const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-demo-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const retailers = ['demo-cafe', 'demo-fashion', 'demo-grocery', 'demo-bakery'];

it('npm run demo creates data for four retailers, each with a manager who can sign in, and nothing twice', async () => {
  const { credentials, dataDir } = sharedPlatform();
  writeFileSync(path.join(folder, 'demo-credentials.json'), JSON.stringify(credentials));
  symlinkSync(path.join(dataDir, 'mail'), path.join(folder, 'mail'));
  const demo = async () => {
    const env = { ...process.env, DATA_DIR: folder };
    const run = promisify(execFile)(process.execPath, [program, '--count', '80', '--days', '3'], { env });
    const { stdout } = await run;
    const counts = [...stdout.matchAll(/: (\d+) new receipts/g)].map(([, count]) => Number(count));
    return {
      counts,
      signIns: [...stdout.matchAll(/^ {2}(\S+@\S+) {2}password (\S+)/gm)].map(([, ...found]) => found),
    };
  };
  const first = await demo();
  expect(first.counts).toHaveLength(4);
  for (const count of first.counts) expect(count).toBeGreaterThan(10);
  const second = await demo();
  for (const count of second.counts) expect(count).toBeLessThan(3);
  expect(first.signIns.map(([email]) => email)).toEqual(retailers.map((id) => `manager@${id}.example`));
  expect(second.signIns).toEqual(first.signIns);
  const { managers } = JSON.parse(readFileSync(path.join(folder, 'first-steps.json'), 'utf8'));
  const api = await operator();
  for (const [index, id] of retailers.entries()) {
    expect(await api.get(`/operator/retailers/${id}`)).toMatchObject({ status: 200 });
    const [email = '', password = ''] = first.signIns[index] ?? [];
    expect(managers[id]).toEqual({ email, password });
    const signedIn = await new PortalVisitor().submit('/portal/sign-in', { email, password });
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers['set-cookie']).toBeDefined();
  }
});
