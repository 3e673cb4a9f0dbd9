// `npm test`: installs, compiles, checks, and runs every test on a real RabbitMQ and the MongoDB protocol.
// With names of folders or files as arguments it runs only those tests, and no checks.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';
import { runChecks } from './check.mjs';

bootstrap('everything');
const only = process.argv.slice(2);
const checks = only.length === 0 ? await runChecks() : { passed: 0, failed: 0 };

const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-test-'));
const { startTestInfrastructure } = await import(
  pathToFileURL(path.join(root, 'test-e2e/dist/harness/test-infrastructure.js')).href
);
const infrastructure = await startTestInfrastructure(scratch);

const report = path.join(scratch, 'jest.json');
const jest = spawn(
  process.execPath,
  [
    path.join(root, 'node_modules/jest/bin/jest.js'),
    '--json',
    `--outputFile=${report}`,
    '--maxWorkers=2',
    ...only,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...infrastructure.env } },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
await new Promise((resolve) => jest.once('exit', resolve));
await infrastructure.stop();

let result;
try {
  result = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  result = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1, numTotalTests: 0 };
}
rmSync(scratch, { recursive: true, force: true });
const passed = checks.passed + result.numPassedTests;
// A suite that could not be loaded counts as a failure, and so does a run without a single test.
const failed =
  checks.failed +
  result.numFailedTests +
  result.numRuntimeErrorTestSuites +
  (result.numTotalTests === 0 && result.numRuntimeErrorTestSuites === 0 ? 1 : 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
