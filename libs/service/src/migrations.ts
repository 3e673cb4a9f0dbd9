import type { Collection } from 'mongodb';
import { pause, type Log } from '@receipts/kernel';
import { lease, type Database, type LeaseDocument } from '@receipts/storage';

/**
 * Converts data of an earlier release to the current format, once per installation. After a crash, a page may
 * run twice. Processes of the earlier release may write at the same time, so the old format must remain readable.
 */
export interface Migration {
  /** The migration is recorded under this name; a renamed migration runs again. */
  readonly name: string;
  /**
   * Opens the collections that the migration needs, and returns a function that migrates one page of documents. That
   * function receives the position where the previous page ended (null for the first page), and returns the position
   * where this page ended (null after the last page).
   */
  open(database: Database, log: Log): Promise<(after: string | null) => Promise<string | null>>;
}

/** The progress of a migration. */
export interface MigrationDocument {
  /** The name of the migration. */
  readonly _id: string;
  readonly after: string | null;
  readonly isDone: boolean;
}

export const migrationCollection = { name: 'migrations', indexes: [] } as const;

/** Must be longer than a page takes. */
const leaseMs = 30_000;
/** How often to check whether another process has finished its migration. */
const checkEveryMs = 500;

export interface MigrationsOptions {
  readonly migrations: readonly Migration[];
  readonly records: Collection<MigrationDocument>;
  readonly leases: Collection<LeaseDocument>;
  readonly database: Database;
  readonly log: Log;
}

/** Runs migrations in order, in one process at a time. Resolves when all are done, by this process or another. */
export async function migrate(options: MigrationsOptions): Promise<void> {
  const held = lease(options.leases, 'migrate', leaseMs);
  for (const migration of options.migrations) {
    while (!(await options.records.findOne({ _id: migration.name }))?.isDone) {
      if (!(await held.acquire())) {
        await pause(checkEveryMs);
        continue;
      }
      try {
        await carryOut(migration, options, held);
      } finally {
        await held.release();
      }
    }
  }
}

async function carryOut(
  migration: Migration,
  { records, database, log }: MigrationsOptions,
  held: ReturnType<typeof lease>,
): Promise<void> {
  const { name } = migration;
  const migratePage = await migration.open(database, log);
  let record = await records.findOne({ _id: name });
  while (!record?.isDone && (await held.acquire())) {
    const after = await migratePage(record?.after ?? null);
    record = await records.findOneAndUpdate(
      { _id: name },
      { $set: { after, isDone: after === null } },
      { upsert: true, returnDocument: 'after' },
    );
    if (record?.isDone) log.info('carried out a migration', { migration: name });
  }
}
