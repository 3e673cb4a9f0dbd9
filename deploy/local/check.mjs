// Every check that fails the build, in one command: types, lint, format, dependency rule, dead code.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

const bin = (name) => path.join(root, 'node_modules/.bin', name);
const cruisedMin = 100;

function check(title, command, args, judge = () => undefined) {
  const began = Date.now();
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const complaint = result.status === 0 ? judge(result.stdout) : `${result.stdout}${result.stderr}`;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${complaint === undefined ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
  if (complaint !== undefined) console.log(complaint);
  return complaint === undefined;
}

/** A rule that found nothing to check holds nothing. */
function cruisedEnough(output) {
  const match = /(\d+) modules/.exec(output);
  const modules = match ? Number(match[1]) : 0;
  return modules >= cruisedMin
    ? undefined
    : `only ${modules} modules were checked, ${cruisedMin} were expected`;
}

export function runChecks() {
  const results = [
    check('types of the tests', bin('tsc'), ['-p', 'tsconfig.tests.json']),
    check('format', bin('prettier'), ['--check', '--log-level', 'warn', '.']),
    check('lint', bin('eslint'), [
      '.',
      '--max-warnings',
      '0',
      '--cache',
      '--cache-location',
      'node_modules/.cache/eslint/',
    ]),
    check(
      'dependency rule',
      bin('depcruise'),
      ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'deploy/local/src', 'test-e2e'],
      cruisedEnough,
    ),
    check('dead exports and unused dependencies', bin('knip'), []),
  ];
  return { passed: results.filter(Boolean).length, failed: results.filter((ok) => !ok).length };
}

if (process.argv[1] === path.join(root, 'deploy/local/check.mjs')) {
  bootstrap('everything');
  process.exit(runChecks().failed === 0 ? 0 : 1);
}
