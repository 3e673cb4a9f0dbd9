import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const suites = pathToFileURL(path.resolve(__dirname, '../rabbitmq-suites.mjs')).href;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-suites-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What there is when Debian's installer does this. */
function newestWith(installer: string): unknown {
  const file = path.join(folder, 'debootstrap');
  writeFileSync(file, `#!/bin/sh\n${installer}\n`);
  chmodSync(file, 0o755);
  const script = `import(${JSON.stringify(suites)})
    .then(({ newestRabbitmq }) => newestRabbitmq())
    .then((found) => console.log(JSON.stringify(found)));`;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, XDG_CACHE_HOME: folder };
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', env });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const isRoot = process.getuid?.() === 0;

it('says in one line why there is no newer RabbitMQ, and leaves nothing behind', () => {
  const failure = 'E: Failed getting release file http://deb.debian.org/debian/dists/sid/Release';
  const found = newestWith(
    `mkdir -p "$4/etc"; echo 'I: Retrieving InRelease'; echo '${failure}' >&2; exit 1`,
  );
  expect(found).toEqual({ failure: isRoot ? failure : 'only root can install it' });
  expect(existsSync(path.join(folder, 'receipts/rabbitmq-sid.partial'))).toBe(false);
  expect(existsSync(path.join(folder, 'receipts/rabbitmq-sid'))).toBe(false);
});

(isRoot ? it : it.skip)('does not use a RabbitMQ that cannot run here', () => {
  const found = newestWith('mkdir -p "$4/etc" "$4/proc" "$4/tmp"; touch "$4/etc/hosts"');
  expect(found).toEqual({ failure: expect.stringMatching(/\S/) });
});
