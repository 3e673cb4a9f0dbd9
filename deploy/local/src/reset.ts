import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findListeningBroker } from './broker';
import { confirm } from './confirm';
import { openDataFolder } from './data-folder';
import { removeLeftovers, type ExternalServers } from './leftovers';
import type { DemoCredentials } from './provision';
import { checkBroker, checkDatabase, shown } from './check-connectivity';
import { platformOf } from './secrets';
import { readLocalSettings, type LocalSettings } from './settings';

const usage = `Usage: npm run reset [-- --yes]

Removes the data folder (DATA_DIR, default .data) and all queues, exchanges and databases of its platform from a broker and
a database outside the data folder: AMQP_URL and MONGODB_URI, or those that the platform used last. Set
BROKER_MANAGEMENT_URL if you created subscriptions. Stop the platform first.

  --yes   do not ask
`;

/** The servers of the last start, if they are not part of the data folder. */
function lastServers(dataDir: string): Partial<ExternalServers> {
  try {
    const text = readFileSync(path.join(dataDir, 'demo-credentials.json'), 'utf8');
    const { broker, database } = JSON.parse(text) as DemoCredentials;
    return {
      amqpUrl: broker.isPrivate ? undefined : broker.url,
      mongodbUri: database.isPrivate ? undefined : database.uri,
    };
  } catch {
    return {};
  }
}

async function serversOf(settings: LocalSettings): Promise<ExternalServers> {
  const { amqpUrl, mongodbUri, environment } = settings;
  const last = lastServers(settings.dataDir);
  return {
    amqpUrl: amqpUrl ?? last.amqpUrl ?? (await findListeningBroker()),
    managementUrl: environment['BROKER_MANAGEMENT_URL'],
    mongodbUri: mongodbUri ?? last.mongodbUri,
  };
}

/** @throws Error if there is no terminal for the question */
async function isConfirmed(): Promise<boolean> {
  const answer = await confirm('Continue?');
  if (answer === undefined)
    throw new Error('There is no terminal for the question: confirm with "npm run reset -- --yes".');
  return answer;
}

/** `npm run reset`: removes the data folder and the platform's data on a broker and a database elsewhere. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { yes: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) return void process.stdout.write(usage);
  const settings = readLocalSettings(process.env, process.cwd());
  const folder = await openDataFolder(settings.dataDir);
  try {
    const platform = settings.platform ?? platformOf(settings.dataDir);
    const servers = await serversOf(settings);
    const { amqpUrl, mongodbUri } = servers;
    if (amqpUrl !== undefined) await checkBroker(amqpUrl, 'the broker of the platform');
    if (mongodbUri !== undefined) await checkDatabase(mongodbUri, 'the database of the platform');
    const removed = [
      `the data folder ${settings.dataDir}`,
      ...(amqpUrl === undefined ? [] : [`all queues and exchanges named ${platform}.* on ${shown(amqpUrl)}`]),
      ...(mongodbUri === undefined
        ? []
        : [`all databases named ${platform.replaceAll('-', '_')}_* on ${shown(mongodbUri)}`]),
    ];
    process.stdout.write(`This removes\n${removed.map((each) => `  ${each}\n`).join('')}`);
    if (values.yes !== true && !(await isConfirmed()))
      return void process.stdout.write('Nothing was removed.\n');
    await removeLeftovers(platform, servers);
    const kept = folder.remove();
    process.stdout.write(
      kept.length === 0 ? 'Removed.\n' : `Removed. Other files were kept: ${kept.join(', ')}\n`,
    );
  } finally {
    await folder.release();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
