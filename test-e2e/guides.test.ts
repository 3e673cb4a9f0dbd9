import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { invoiceRules } from './harness/invoice-rules';
import { sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');
const guides = path.join(root, 'docs/guides');
/** The parts of the repository that commands in the guides use. Their output files stay outside it. */
const linked = ['package.json', 'node_modules', 'deploy', 'libs', 'services', 'tsconfig.platform.json'];
let folder: string;

const blocksOf = (file: string): string[] =>
  [...readFileSync(path.join(guides, file), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, block]) => block ?? '',
  );

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-guides-'));
  for (const name of linked) symlinkSync(path.join(root, name), path.join(folder, name));
  mkdirSync(path.join(folder, '.data'));
  const { credentials } = sharedPlatform();
  writeFileSync(path.join(folder, '.data/demo-credentials.json'), JSON.stringify(credentials));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Unlike a reader, a test does not look at the output, so a request with an error status ends the script. */
const strict = `set -Eeuo pipefail
trap 'echo "exit code $? of: $BASH_COMMAND" >&2' ERR
curl() { command curl --fail-with-body "$@"; }
`;

const pages = readdirSync(guides).filter((file) => file !== 'README.md' && blocksOf(file).length > 0);

it.each(pages)('the commands of %s succeed', async (file) => {
  const script = strict + [...blocksOf('README.md'), ...blocksOf(file)].join('\n');
  const options = { cwd: folder, env: { ...process.env, MONGODB_URI: '' }, timeout: 110_000 };
  await promisify(execFile)('bash', ['-c', script], options).catch(
    ({ stdout, stderr }: { stdout?: string; stderr?: string }) => {
      throw new Error(`${stdout ?? ''}\n${stderr ?? ''}`);
    },
  );
});

it('the invoice that a reader takes along is accepted by the schema and the rules of the standard', async () => {
  const rules = await invoiceRules();
  expect(await rules.faultsOf(readFileSync(path.join(folder, 'invoice.xml'), 'utf8'))).toEqual([]);
});
