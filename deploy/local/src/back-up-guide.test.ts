import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const rootPassword = 'the password of the root user';
let folder: string;

/** The environment of a container, with a value for each variable that docker-compose.yml takes from .env. */
function environmentOf(service: string): Record<string, string> {
  const { services } = parse(read('docker-compose.yml'), { merge: true });
  const given = services[service].environment as Record<string, string>;
  const valueOf = (text: string) =>
    text.replace(/\$\{(\w+):\?[^}]*\}/g, (_whole, name: string) =>
      name === 'STORE_PASSWORD' ? rootPassword : `another value, of ${name}`,
    );
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, valueOf(value)]));
}

function program(name: string, script: string): void {
  const file = path.join(folder, name);
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

/** Stands for a tool of MongoDB: it accepts the user of the server, and copies its input, or its options. */
const tool = (output: string) => `#!/bin/bash
set -eu
options=("$@")
[ "$1 $2 $3 $4" = "--username $ROOT_USER --password $ROOT_PASSWORD" ] || { echo "Authentication failed." >&2; exit 1; }
${output}
`;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-back-up-'));
  const environment = environmentOf('mongo');
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  program(
    'docker',
    `#!/bin/bash
set -eu
[ "$1 $2 $3 $4" = "compose exec -T mongo" ] || { echo "unexpected: docker $*" >&2; exit 1; }
${variables.join('\n')}
export ROOT_USER="$MONGO_INITDB_ROOT_USERNAME" ROOT_PASSWORD='${rootPassword}'
exec "\${@:5}"
`,
  );
  program('mongodump', tool('printf "dump with %s" "${options[*]:4}"'));
  program('mongorestore', tool('{ cat; printf ", restored with %s" "${options[*]:4}"; } > restored'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('gives commands that save and restore everything as a user of the compose file', () => {
  const blocks = [...read('docs/guides/back-up.md').matchAll(/^```bash\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block)
    .filter((block) => block.startsWith('docker compose'));
  expect(blocks).toHaveLength(2);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  for (const block of blocks) execFileSync('bash', ['-euc', block], { cwd: folder, env });
  expect(readFileSync(path.join(folder, 'restored'), 'utf8')).toBe(
    'dump with --oplog --gzip --archive, restored with --oplogReplay --gzip --archive',
  );
});
