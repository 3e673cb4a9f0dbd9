#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { backUp, restore, type BackupManifest } from './backup';

/**
 * Saves and restores a platform's databases: `MONGODB_URI=... node libs/storage/dist/backup-cli.js save <folder>`.
 */
const usage = `Usage (the database's address is in MONGODB_URI, the platform's name in PLATFORM):
  save <folder>      writes every database of the platform into a new folder
  restore <folder>   brings them into a server that has nothing of the platform, and compares counts and sums
`;

class UsageError extends Error {}

const platformDefault = 'receipts';
const serverSelectionTimeoutMs = 5_000;

function reported({ collections, begun, ended }: BackupManifest): object {
  const documents = collections.reduce((sum, each) => sum + each.documents, 0);
  return { collections: collections.length, documents, begun, ended };
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [command, folder, ...others] = positionals;
  const uri = process.env['MONGODB_URI'];
  if (uri === undefined || uri === '') throw new UsageError('MONGODB_URI is not set');
  if (folder === undefined || others.length > 0) throw new UsageError('name one folder');
  // Database names contain an underscore where the platform's name has a hyphen.
  const named = process.env['PLATFORM']?.replaceAll('-', '_') || undefined;
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: serverSelectionTimeoutMs });
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
