import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { sharedPlatform } from './harness/shared-platform';

const { credentials } = sharedPlatform();
const folder = path.resolve(__dirname, '../deploy/examples/tills');

const run = (program: string, file: string, token: string) =>
  promisify(execFile)(program, [path.join(folder, file), credentials.baseUrl], {
    env: { ...process.env, TOKEN: token },
    timeout: 60_000,
  });

describe.each([
  ['sh', 'till.sh'],
  [process.execPath, 'till.mjs'],
  ['python3', 'till.py'],
])('%s %s', (program, file) => {
  // Python is not installed everywhere.
  const test = spawnSync(program, ['-h']).error === undefined ? it : it.skip;

  test('posts a receipt', async () => {
    const { stdout } = await run(program, file, credentials.bearer.token);
    const id = /"id":"([0-9a-f]{24})"/.exec(stdout)?.[1] ?? `none in ${stdout}`;
    const answer = await fetch(`${credentials.baseUrl}/receipts/${id}`, {
      headers: { authorization: `Bearer ${credentials.bearer.token}` },
    });
    expect(await answer.json()).toMatchObject({ total: 4.8, items: [{ name: 'Espresso', quantity: 2 }] });
  });

  test('fails if the token is wrong', async () => {
    const failure = await run(program, file, 'wrong').catch((error: object) => error);
    expect(JSON.stringify(failure)).toContain('401');
  });
});
