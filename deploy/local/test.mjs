// `npm test`: installs, compiles, checks, and runs all tests with a real RabbitMQ and the MongoDB protocol. Folders or
// files as arguments run only their tests, without the checks.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap, root } from './bootstrap.mjs';
import { runChecks } from './check.mjs';

const filesAgainMax = 3;
/** Time between jest's report and its end. */
const overdueMs = 30_000;

const { positionals: only } = parseArgs({ allowPositionals: true });
bootstrap('everything');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-test-'));
const harness = (name) => import(pathToFileURL(path.join(root, `test-e2e/dist/harness/${name}.js`)).href);
const { startTestInfrastructure } = await harness('test-infrastructure');
const { startTestPlatform } = await harness('test-platform');
// Checks leave a part of two processors idle: what the tests need starts during them.
const [infrastructure, platform, checks] = await Promise.all([
  startTestInfrastructure(scratch),
  only.length === 0 ? startTestPlatform() : undefined,
  only.length === 0 ? runChecks() : { passed: 0, failed: 0 },
]);
/** Undefined where jest is to start the platform, if its tests need one. */
let platformFile = platform?.file;

/** A run of jest without any result, be it that it crashed, is a failure, whatever other runs say. */
let runsWithoutResult = 0;

/** Runs jest. Returns the number of passed tests and the names of failed ones per test file. */
async function runJest(title, ...args) {
  const report = path.join(scratch, `${title}.json`);
  const ofPlatform = platformFile === undefined ? {} : { E2E_PLATFORM_FILE: platformFile };
  const jest = spawn(
    process.execPath,
    [path.join(root, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${report}`, ...args],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...infrastructure.env, ...ofPlatform } },
  );
  const end = (signal) => jest.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  const ended = new Promise((resolve) => jest.once('exit', resolve));
  const overdue = setInterval(() => {
    if (!existsSync(report) || Date.now() - statSync(report).mtimeMs < overdueMs) return;
    console.log('jest has reported and does not end: a test has left a process or a connection behind');
    jest.kill('SIGKILL');
  }, 1_000);
  await ended;
  clearInterval(overdue);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, end);
  let testResults = [];
  try {
    ({ testResults } = JSON.parse(readFileSync(report, 'utf8')));
  } catch (error) {
    console.log(`jest left no report: ${error.message}`);
  }
  if (testResults.length === 0) runsWithoutResult++;
  return new Map(testResults.map((file) => [file.name, outcomeOf(file)]));
}

/** A file that could not be loaded counts as a failure. */
function outcomeOf({ name, status, assertionResults }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted);
  const failed = having('failed').map(({ fullName }) => `${path.relative(root, name)}: ${fullName}`);
  if (status === 'failed' && failed.length === 0) failed.push(path.relative(root, name));
  return { passed: having('passed').length, failed };
}

/** Each end-to-end test keeps many processes busy. */
const atOnce = '--maxWorkers=2';
/** The others wait for a third of their time. */
const unitsAtOnce = '--maxWorkers=3';

async function runAll() {
  const ofPlatform = await runJest('e2e', atOnce, '--selectProjects=e2e');
  // Even without work its services take a sixth of a core.
  await platform.stop();
  platformFile = undefined;
  return new Map([...ofPlatform, ...(await runJest('units', unitsAtOnce, '--selectProjects=units'))]);
}

const outcomes = await (only.length > 0 ? runJest('jest', atOnce, ...only) : runAll());
const failedFiles = [...outcomes].filter(([, { failed }]) => failed.length > 0).map(([name]) => name);
// The tests run processes, brokers and databases in parallel on few cores. Tests that failed because the machine was
// busy pass when they run alone, others fail again. If many files failed, the cause is not the load.
if (only.length === 0 && failedFiles.length > 0 && failedFiles.length <= filesAgainMax) {
  const first = failedFiles.flatMap((name) => outcomes.get(name).failed);
  for (const [name, outcome] of await runJest('again', '--maxWorkers=1', ...failedFiles))
    outcomes.set(name, outcome);
  console.log(
    `Failed in the run of all, and were run again alone:\n${first.map((name) => `  ${name}`).join('\n')}`,
  );
}
await infrastructure.stop();
rmSync(scratch, { recursive: true, force: true });

const all = [...outcomes.values()];
const passed = checks.passed + all.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed =
  checks.failed + runsWithoutResult + all.reduce((sum, outcome) => sum + outcome.failed.length, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
