import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';
import type { Database } from './connect-database';
import { lease, type LeaseDocument } from './lease';

/**
 * Migrates one page of documents.
 * @param after where the previous page ended; null for the first page
 * @returns where this page ended; null after the last page
 */
export type MigratePage = (after: string | null) => Promise<string | null>;

/**
 * Converts data of an earlier release to the current format, once per installation. A page may run twice, after a
 * crash, and processes of the earlier release may write at the same time, so the old format must remain readable.
 */
export interface Migration {
  /** The migration is recorded under this name; a renamed migration runs again. */
  readonly name: string;
  /**
   * True when the service can work during the migration; otherwise the service waits for its end before it serves.
   */
  readonly whileServing?: boolean;
  /** Opens the collections that the migration needs. */
  open(database: Database, log: Log): Promise<MigratePage>;
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
const lookAgainMs = 500;
const retryMs = 1_000;

export interface MigrationsOptions {
  readonly migrations: readonly Migration[];
  readonly records: Collection<MigrationDocument>;
  readonly leases: Collection<LeaseDocument>;
  readonly database: Database;
  readonly log: Log;
}

/** Runs the migrations of a service in order, in one process at a time. */
export class Migrations {
  private readonly lease;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: MigrationsOptions) {
    this.lease = lease(options.leases, 'migrate', leaseMs);
  }

  /** Resolves when all migrations that must precede serving are done, by this process or another. */
  async beforeServing(): Promise<void> {
    for (const migration of this.options.migrations) {
      if (!migration.whileServing) await this.carryOut(migration);
    }
  }

  /** Starts the migrations that run while serving. Failed ones are retried until the service stops. */
  start(): void {
    this.running ??= this.carryOutRest();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async carryOutRest(): Promise<void> {
    for (const migration of this.options.migrations) {
      if (!migration.whileServing) continue;
      for (let isDone = false; !isDone && !this.stopping.signal.aborted;) {
        try {
          await this.carryOut(migration);
          isDone = true;
        } catch (error) {
          this.options.log.warn('a migration failed, it is tried again', {
            migration: migration.name,
            error,
          });
          await this.pause(retryMs);
        }
      }
    }
  }

  private async carryOut(migration: Migration): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const record = await this.options.records.findOne({ _id: migration.name });
      if (record?.isDone) return;
      if (!(await this.lease.acquire())) {
        await this.pause(lookAgainMs);
        continue;
      }
      try {
        await this.carryOutAlone(migration);
      } finally {
        await this.lease.release();
      }
    }
  }

  private async carryOutAlone(migration: Migration): Promise<void> {
    const { records, database, log } = this.options;
    const { name } = migration;
    const migratePage = await migration.open(database, log);
    let record = await records.findOne({ _id: name });
    while (!record?.isDone && !this.stopping.signal.aborted && (await this.lease.acquire())) {
      const after = await migratePage(record?.after ?? null);
      record = await records.findOneAndUpdate(
        { _id: name },
        { $set: { after, isDone: after === null } },
        { upsert: true, returnDocument: 'after' },
      );
      if (record?.isDone) log.info('carried out a migration', { migration: name });
    }
  }

  /** Ends early on stop. */
  private async pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { ref: false, signal: this.stopping.signal }).catch(() => undefined);
  }
}
