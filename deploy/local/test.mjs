// `npm test`: installs, compiles, checks, and runs all tests against a real RabbitMQ and a server that speaks the
// MongoDB protocol. Both run in containers if Docker is running, otherwise on this machine. There, the platform as a whole is
// tested on the installed RabbitMQ, services and libraries on the newest one that can be had. With folders or files as
// arguments, it runs only their tests, without the checks.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap, root } from './bootstrap.mjs';
import { runChecks } from './check.mjs';
import { newestRabbitmq } from './rabbitmq-suites.mjs';
import { runJest } from './run-jest.mjs';

const { positionals: only } = parseArgs({ allowPositionals: true });
await bootstrap('everything');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-test-'));
const harness = (name) => import(pathToFileURL(path.join(root, `test-e2e/dist/harness/${name}.js`)).href);
const { findInfrastructure, startTestInfrastructure } = await harness('test-infrastructure');
const { startTestPlatform } = await harness('test-platform');
const kind = await findInfrastructure();
/** Containers have a new RabbitMQ anyway, and servers that were given are the ones to test. */
const newest = kind === 'local' && only.length === 0 ? newestRabbitmq() : undefined;
const starting = startTestInfrastructure(kind, path.join(scratch, 'installed'));
/** On this machine, the platform has its own broker and database, which start at the same time. */
const startPlatform = async () => startTestPlatform(kind === 'local' ? {} : (await starting).variables);
// The checks do not fully use two processors, so the test infrastructure starts in the meantime.
const [installed, platform, checks] = await Promise.all([
  starting,
  only.length === 0 ? startPlatform() : undefined,
  only.length === 0 ? runChecks() : { passed: 0, failed: 0 },
]);
let infrastructure = installed;
console.log(`Tests run on ${infrastructure.description}`);
/** Undefined if jest starts a platform when its tests need it. */
let platformFile = platform?.file;

/** A jest run without any result, for example after a crash, is a failure regardless of other runs. */
let runsWithoutResult = 0;

async function run(title, ...args) {
  const ofPlatform = platformFile === undefined ? {} : { E2E_PLATFORM_FILE: platformFile };
  const results = await runJest(
    path.join(scratch, `${title}.json`),
    { ...infrastructure.env, ...ofPlatform },
    ...args,
  );
  if (results.size === 0) runsWithoutResult++;
  return results;
}

/** Each end-to-end test keeps many processes busy. */
const atOnce = '--maxWorkers=2';
/** The other tests spend a third of their time waiting. */
const unitsAtOnce = '--maxWorkers=3';

/** Replaces RabbitMQ by the newest one for all tests to come, also for those that start their own. */
async function useNewestRabbitmq({ folder, failure }) {
  if (folder === undefined) {
    console.log(`The newest RabbitMQ is not available, so it is not tested: ${failure}`);
    return;
  }
  await infrastructure.stop();
  process.env.PATH = `${folder}${path.delimiter}${process.env.PATH}`;
  infrastructure = await startTestInfrastructure(kind, path.join(scratch, 'newest'));
  console.log(`Tests of services and libraries run on ${infrastructure.description}`);
}

async function runAll() {
  // Its installation takes a minute, in which tests would have too little time.
  const found = await newest;
  const ofPlatform = await run('e2e', atOnce, '--selectProjects=e2e');
  // Even when idle, the platform's services use a sixth of a core.
  await platform.stop();
  platformFile = undefined;
  if (found !== undefined) await useNewestRabbitmq(found);
  return new Map([...ofPlatform, ...(await run('units', unitsAtOnce, '--selectProjects=units'))]);
}

const outcomes = await (only.length > 0 ? run('jest', atOnce, ...only) : runAll());
await infrastructure.stop();
rmSync(scratch, { recursive: true, force: true });

const all = [...outcomes.values()];
const passed = checks.passed + all.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed =
  checks.failed + runsWithoutResult + all.reduce((sum, outcome) => sum + outcome.failed.length, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
