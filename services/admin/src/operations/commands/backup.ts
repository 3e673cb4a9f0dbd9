#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { backUp, connect, restore, type BackupManifest } from '../storage/backup';

const usage = `Usage: npm run backup -- save <folder>
       npm run backup -- restore <folder>

  save      writes every database of the platform to a new folder, while the platform runs
  restore   loads a backup into a server without databases of the platform, and compares counts and checksums

Uses the platform in DATA_DIR (default .data). For another platform, set MONGODB_URI and RESOURCE_PREFIX (its name); the
user must be allowed to read the databases of all services. For a MongoDB server, prefer mongodump, as docs/guides/back-up.md
describes. Exits with 0 on success, 1 if the command failed, or 2 if it was invalid.
`;

class UsageError extends Error {}

const platformDefault = 'receipts';

function reported({ collections, begun, ended }: BackupManifest): object {
  const documents = collections.reduce((sum, each) => sum + each.documents, 0);
  return { collections: collections.length, documents, begun, ended };
}

function parsed() {
  try {
    return parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function main(): Promise<void> {
  const { positionals, values } = parsed();
  if (values.help === true) return void process.stdout.write(usage);
  const [command, folder, ...others] = positionals;
  const uri = process.env['MONGODB_URI'];
  if (uri === undefined || uri === '') throw new UsageError('MONGODB_URI is not set');
  if (folder === undefined || others.length > 0) throw new UsageError('give one folder');
  // Database names contain an underscore where the platform's name has a hyphen.
  const named = process.env['RESOURCE_PREFIX']?.replaceAll('-', '_') || undefined;
  const client = await connect(uri);
  try {
    if (command === 'save') {
      process.stdout.write(
        `${JSON.stringify(reported(await backUp(client, named ?? platformDefault, folder)))}\n`,
      );
    } else if (command === 'restore') {
      process.stdout.write(`${JSON.stringify(reported(await restore(client, folder, named)))}\n`);
    } else throw new UsageError(`unknown command ${String(command)}`);
  } finally {
    await client.close();
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) process.stderr.write(usage);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}
