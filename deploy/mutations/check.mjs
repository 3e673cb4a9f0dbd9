// `npm run test:mutations`: breaks one guarantee after another and verifies that a test fails. Takes a few minutes. With a
// word as argument, only guarantees whose names contain it. With --list it only verifies that the code to be changed
// still exists.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { bootstrap, root } from '../local/bootstrap.mjs';
import { guarantees } from './guarantees.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const [word = ''] = positionals;
const chosen = guarantees.filter(({ name }) => name.includes(word));
if (chosen.length === 0)
  throw new Error(`no guarantee is called "${word}": see ${import.meta.dirname}/guarantees.mjs`);
for (const { name, file, from, tests } of chosen) {
  if (readFileSync(path.join(root, file), 'utf8').split(from).length !== 2) {
    throw new Error(`${file} does not contain "${from}" exactly once: correct the mutation for "${name}"`);
  }
  const gone = tests.filter((test) => !existsSync(path.join(root, test)));
  if (gone.length > 0)
    throw new Error(`${gone.join(', ')} no longer exists, but should detect that "${name}" is broken`);
}
if (values.list) {
  console.log(chosen.map(({ name }) => name).join('\n'));
  process.exit(0);
}

await bootstrap('everything');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-mutations-'));
const { findInfrastructure, startTestInfrastructure } = await import(
  pathToFileURL(path.join(root, 'test-e2e/dist/harness/test-infrastructure.js')).href
);
const infrastructure = await startTestInfrastructure(await findInfrastructure(), scratch);

const [units] = createRequire(import.meta.url)(path.join(root, 'jest.config.js')).projects;
const [pattern, [, options]] = Object.entries(units.transform)[0];
const config = path.join(scratch, 'jest.config.json');
const transform = { [pattern]: [path.join(root, 'deploy/mutations/mutating-transform.cjs'), options] };
writeFileSync(config, JSON.stringify({ ...units, rootDir: root, transform, testTimeout: 120_000 }));

/** Runs the tests of a guarantee with its mutation. Returns the names of those that failed. */
async function failuresUnder(guarantee) {
  const report = path.join(scratch, 'report.json');
  const args = ['--config', config, '--json', `--outputFile=${report}`, '--silent', '-i', ...guarantee.tests];
  const jest = spawn(process.execPath, [path.join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, ...infrastructure.env, MUTATION: JSON.stringify(guarantee) },
  });
  await new Promise((resolve) => jest.once('exit', resolve));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (results.length === 0) throw new Error(`no test ran for "${guarantee.name}"`);
  return results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
}

let unnoticed = 0;
try {
  for (const guarantee of chosen) {
    const [first, ...others] = await failuresUnder(guarantee);
    if (first === undefined) unnoticed++;
    const noticed =
      first === undefined
        ? 'BY NO TEST'
        : `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
    console.log(`${guarantee.name}\n    detected by: ${noticed}`);
  }
} finally {
  await infrastructure.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(unnoticed === 0 ? 'Every guarantee is tested.' : `${unnoticed} of them are not tested.`);
process.exit(unnoticed === 0 ? 0 : 1);
