// `npm run verify -- --mongodb URI --amqp URL`: verifies that the platform works on the given MongoDB and RabbitMQ, and
// prints the results by version.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap, root } from './bootstrap.mjs';
import { testOnRabbitmqSuites } from './rabbitmq-suites.mjs';
import { runJest } from './run-jest.mjs';

const usage = `Usage: npm run verify -- --mongodb <uri> --amqp <url> [--management <url>] [--only <part>]... [<test file>...]
       npm run verify -- --rabbitmq-suites

Runs the service tests, the end-to-end tests and the short chaos faults against the given servers, in separate databases and
queues that are deleted afterwards.

  --mongodb     mongodb://host/?replicaSet=rs0, with a user who may create and drop databases and users. The services then connect
                with users who may only read and write their own databases, as those of the compose file do
  --amqp        amqp://user:password@host:5672/vhost
  --management  http://user:password@host:15672, RabbitMQ's management interface, in which a virtual host is created for the
                run: the user needs the "administrator" tag. Default: port 15672 of the host in --amqp
  --only        services, e2e or chaos; may be repeated
  --patience    multiplies the time-outs of the tests, for slow servers; default: 1
  <test file>   runs only these test files of services or e2e, such as those that failed

MongoDB must not delete expired documents, because some tests have their own clocks: start it with
"--setParameter ttlMonitorEnabled=false". Some service tests and chaos faults kill their broker and start their own, which needs
rabbitmq-server on this machine.

With --rabbitmq-suites, it runs the tests that depend on RabbitMQ's version, on the versions of later Debian suites, which it installs
into ~/.cache/receipts. This needs root, debootstrap and a mirror.

Exits with 0 if everything passed, 1 if not, or 2 if the command was invalid.
`;

function readArguments() {
  const options = {
    mongodb: { type: 'string' },
    amqp: { type: 'string' },
    management: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    patience: { type: 'string', default: '1' },
    'rabbitmq-suites': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) process.stdout.write(usage);
    else if (values['rabbitmq-suites']) return values;
    else if (!(Number(values.patience) >= 1))
      process.stderr.write(`--patience must be a number of at least 1.\n\n${usage}`);
    else if (values.mongodb !== undefined && values.amqp !== undefined)
      return { ...values, files: positionals };
    else process.stderr.write(usage);
    process.exit(values.help ? 0 : 2);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

/** The management interface on its usual port. */
function managementOf(amqp) {
  const { username, password, hostname } = new URL(amqp);
  return `http://${username || 'guest'}:${password || 'guest'}@${hostname}:15672`;
}

const given = readArguments();
if (given['rabbitmq-suites']) process.exit((await testOnRabbitmqSuites()) ? 0 : 1);
await bootstrap('everything');
const compiled = (file) => import(pathToFileURL(path.join(root, `test-e2e/dist/${file}.js`)).href);
const { brokerVersion, databaseNames, databaseVersion, dropTestDatabases, expiresDocuments } =
  await compiled('harness/server-versions');
const { createStoreUsers } = await compiled('harness/store-users');
const { startTestPlatform } = await compiled('harness/test-platform');
const { runShortFaults } = await compiled('chaos/verify');
const { emptyRabbit, rabbitServerPath } = createRequire(path.join(root, 'test-e2e/package.json'))(
  '@receipts/testing',
);

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

const isWanted = (name) => given.only.length === 0 || given.only.includes(name);
if ((isWanted('services') || isWanted('chaos')) && rabbitServerPath() === undefined)
  refuse('rabbitmq-server is missing, which some tests start. Install it, or pass "--only e2e".');
if (await expiresDocuments(given.mongodb))
  refuse(
    'MongoDB deletes expired documents, which some tests with their own clocks still need. Start it with "--setParameter ttlMonitorEnabled=false", or run db.adminCommand({ setParameter: 1, ttlMonitorEnabled: false }).',
  );

const management = given.management ?? managementOf(given.amqp);
Object.assign(process.env, {
  TEST_AMQP_URL: given.amqp,
  TEST_MONGODB_URI: given.mongodb,
  TEST_BROKER_MANAGEMENT_URL: management,
  TEST_PATIENCE: given.patience,
});
const host = await emptyRabbit().catch((error) =>
  refuse(`RabbitMQ's management interface cannot be used: ${error.message}\nSee --management.`),
);
const amqp = host.url;
process.env.TEST_AMQP_URL = amqp;
const variables = {
  AMQP_URL: amqp,
  MONGODB_URI: given.mongodb,
  BROKER_MANAGEMENT_URL: management,
};
const databases = await databaseNames(given.mongodb);
const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-verify-'));

const summed = (results) => {
  const all = [...results.values()];
  const failed = all.flatMap((file) => file.failed);
  return {
    passed: all.reduce((sum, file) => sum + file.passed, 0),
    failed: results.size === 0 ? ['jest ended without a report'] : failed,
  };
};
const jest = async (title, env, ...args) =>
  summed(await runJest(path.join(scratch, `${title}.json`), env, '--maxWorkers=2', ...args));

/** Tests of services and of the libraries that communicate with a server. Tests that break a server start their own. */
const onServers = ['services/', 'libs/storage/', 'libs/messaging/', 'libs/search/', 'libs/host/'];

/** The jest options for the named files, otherwise for the default files. */
const filesOr = (files) => {
  const chosen = given.files.length > 0 ? given.files : files;
  return chosen.length > 0 ? ['--testPathPatterns', ...chosen] : [];
};

const parts = {
  services: {
    title: 'service tests',
    run: () => jest('services', {}, '--selectProjects=units', ...filesOr(onServers)),
  },
  e2e: {
    title: 'end-to-end tests',
    async run() {
      const name = `verify-${randomBytes(6).toString('hex')}`;
      const users = await createStoreUsers(given.mongodb, name);
      if (!users)
        console.log(
          'The services connect with the given user, because it may not create others: their rights are not tested.',
        );
      const platform = await startTestPlatform({ ...variables, RESOURCE_PREFIX: name }, users);
      try {
        const ignored = ['--testPathIgnorePatterns', '/node_modules/', '/dist/', 'test-e2e/faults/'];
        return await jest(
          'e2e',
          { E2E_PLATFORM_FILE: platform.file },
          '--selectProjects=e2e',
          ...ignored,
          ...filesOr([]),
        );
      } finally {
        await platform.stop();
        await users?.remove();
      }
    },
  },
  chaos: {
    title: 'chaos: services killed, restarted, replaced',
    async run() {
      const { passed, failed } = await runShortFaults((line) => console.log(line));
      return { passed: passed.length, failed };
    },
  },
};

const unknown = given.only.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  process.stderr.write(`Unknown part ${unknown}.\n\n${usage}`);
  process.exit(2);
}

const servers = `${await brokerVersion(amqp)}; ${await databaseVersion(given.mongodb)}`;
console.log(`Verifying on ${servers}`);
const rows = [];
for (const [name, part] of Object.entries(parts)) {
  if (!isWanted(name)) continue;
  const began = Date.now();
  const { passed, failed } = await part.run().catch((error) => ({ passed: 0, failed: [error.message] }));
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  rows.push([part.title, servers, passed, failed.length, `${minutes} min`]);
  for (const failure of failed) console.log(`FAILED ${failure}`);
}
await dropTestDatabases(given.mongodb, databases);
await host.dispose();
rmSync(scratch, { recursive: true, force: true });

const line = (cells) => `| ${cells.join(' | ')} |`;
console.log(
  [
    '',
    line(['proved', 'against', 'passed', 'failed', 'time']),
    '| --- | --- | ---: | ---: | ---: |',
    ...rows.map(line),
  ].join('\n'),
);
process.exit(rows.every(([, , passed, failed]) => passed > 0 && failed === 0) ? 0 : 1);
