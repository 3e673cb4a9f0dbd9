import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { Database } from './connect-database';
import { lease, type LeaseDocument } from './lease';
import type { Log } from './log';

/** Brings up one page of documents. @param after where the one before ended, null for the first @returns where this one ended, null after the last */
export type MigratePage = (after: string | null) => Promise<string | null>;

/**
 * Brings what an earlier release has written into the present form, once for each installation. A page may be done twice,
 * after a crash, and processes of the earlier release may write meanwhile: what they write must be readable as well.
 */
export interface Migration {
  /** It is recorded under this name, so a renamed one is carried out again. */
  readonly name: string;
  /** True where the service can work meanwhile; otherwise it does nothing until this is done. */
  readonly whileServing?: boolean;
  /** Opens the collections that it needs. */
  open(database: Database, log: Log): Promise<MigratePage>;
}

/** How far a migration is. */
export interface MigrationDocument {
  /** Its name. */
  readonly _id: string;
  readonly after: string | null;
  readonly isDone: boolean;
}

export const migrationCollection = { name: 'migrations', indexes: [] } as const;

/** A page must take less. */
const leaseMs = 30_000;
/** How often is looked whether another process has ended what it does. */
const lookAgainMs = 500;
const retryMs = 1_000;

export interface MigrationsOptions {
  readonly migrations: readonly Migration[];
  readonly records: Collection<MigrationDocument>;
  readonly leases: Collection<LeaseDocument>;
  readonly database: Database;
  readonly log: Log;
}

/** Carries out the migrations of a service, in their order and in one process at a time. */
export class Migrations {
  private readonly lease;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: MigrationsOptions) {
    this.lease = lease(options.leases, 'migrate', leaseMs);
  }

  /** Resolves when everything is done that must be before the service works, by this process or by another. */
  async beforeServing(): Promise<void> {
    for (const migration of this.options.migrations) {
      if (!migration.whileServing) await this.carryOut(migration);
    }
  }

  /** Begins the others. What fails is tried again until the service stops. */
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
          const { name } = error as Error;
          this.options.log.warn('a migration failed, it is tried again', {
            migration: migration.name,
            error: name,
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
      if (await this.lease.acquire()) await this.carryOutAlone(migration).finally(() => this.lease.release());
      else await this.pause(lookAgainMs);
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

  /** Ends early when this is stopped. */
  private async pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { ref: false, signal: this.stopping.signal }).catch(() => undefined);
  }
}
