// Runs jest, and reads the passed and failed tests from its report.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { root } from './bootstrap.mjs';

/** The maximum time between jest's report and its exit. */
const overdueMs = 30_000;

/**
 * Returns the number of passed tests and the names of failed tests per test file; an empty map if jest crashed.
 * @param report the file for jest's report
 */
export async function runJest(report, env, ...args) {
  const jest = spawn(
    process.execPath,
    [path.join(root, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${report}`, ...args],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  const end = (signal) => jest.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  const ended = new Promise((resolve) => jest.once('exit', resolve));
  const overdue = setInterval(() => {
    if (!existsSync(report) || Date.now() - statSync(report).mtimeMs < overdueMs) return;
    console.log('jest has finished but did not exit: a test has left a process or a connection open');
    jest.kill('SIGKILL');
  }, 1_000);
  await ended;
  clearInterval(overdue);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, end);
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return new Map(testResults.map((file) => [file.name, resultOf(file)]));
  } catch (error) {
    console.log(`jest wrote no report: ${error.message}`);
    return new Map();
  }
}

/** A file that could not be loaded counts as a failure. */
function resultOf({ name, status, assertionResults }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted);
  const failed = having('failed').map(({ fullName }) => `${path.relative(root, name)}: ${fullName}`);
  if (status === 'failed' && failed.length === 0) failed.push(path.relative(root, name));
  return { passed: having('passed').length, failed };
}
