// `npm run mutations`: breaks one guarantee after another and sees that a test notices. A few minutes; with a word of a name
// as argument, only those.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { bootstrap, root } from '../local/bootstrap.mjs';
import { guarantees } from './guarantees.mjs';

bootstrap('everything');
const [word = ''] = process.argv.slice(2);
const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-mutations-'));
const { startTestInfrastructure } = await import(
  pathToFileURL(path.join(root, 'test-e2e/dist/harness/test-infrastructure.js')).href
);
const infrastructure = await startTestInfrastructure(scratch);

const [units] = createRequire(import.meta.url)(path.join(root, 'jest.config.js')).projects;
const [pattern, [, options]] = Object.entries(units.transform)[0];
const config = path.join(scratch, 'jest.config.json');
const transform = { [pattern]: [path.join(root, 'deploy/mutations/mutating-transform.cjs'), options] };
writeFileSync(config, JSON.stringify({ ...units, rootDir: root, transform, testTimeout: 120_000 }));

/** Gives the tests that failed, by name. */
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
  for (const guarantee of guarantees.filter(({ name }) => name.includes(word))) {
    const source = readFileSync(path.join(root, guarantee.file), 'utf8');
    if (source.split(guarantee.from).length !== 2) {
      throw new Error(
        `${guarantee.file} has not exactly one "${guarantee.from}": say anew what breaks "${guarantee.name}"`,
      );
    }
    const [first, ...others] = await failuresUnder(guarantee);
    if (first === undefined) unnoticed++;
    const noticed =
      first === undefined
        ? 'BY NO TEST'
        : `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
    console.log(`${guarantee.name}\n    noticed by: ${noticed}`);
  }
} finally {
  await infrastructure.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(unnoticed === 0 ? 'Every guarantee is guarded.' : `${unnoticed} of them are not guarded.`);
process.exit(unnoticed === 0 ? 0 : 1);
