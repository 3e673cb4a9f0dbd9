import { statSync } from 'node:fs';
import { Changes, changesIn } from './changes';
import { newestTransaction } from './data-file';
import { Environment, dataFileOf } from './environment';
import { recordHeadBytes, recordKind, type Checkpoint, type LogRecord } from './log-record';
import { WriteLog } from './write-log';

/** A server rejects folders of other formats. */
const currentFormat = 3;
const formatKey = Buffer.from('format');
/** The sequence of the last log record whose changes are in an LMDB snapshot. */
const positionKey = Buffer.from('log');
const positionBytes = 6;

/**
 * The limits that trigger a checkpoint, whichever is reached first. They bound the log size, the memory for changed
 * pages, and the duration of a restart.
 */
export interface CheckpointLimits {
  readonly logBytes: number;
  readonly changes: number;
  readonly ms: number;
}

export const checkpoint: CheckpointLimits = { logBytes: 16 << 20, changes: 150_000, ms: 5_000 };

/** The log may exceed its limit by this factor while a checkpoint is being flushed, and is checked at this interval. */
const slack = 4;
const recheckMs = 20;

/** The log space that must be available before writes are accepted again after the disk was full. */
const roomBytes = 1 << 20;

/**
 * True if LMDB must be opened at the state before its last transaction. That transaction was committed but may not be
 * completely on disk, so it is recreated from the log, which contains all of it.
 */
async function needsPrevious(folder: string, log: WriteLog): Promise<boolean> {
  const path = dataFileOf(folder);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (log.isNew && !size) return false;
  if (size === undefined) throw new Error(`the data file ${path} is missing`);
  const { transaction, fileBytes } = log.checkpoint;
  if (size < fileBytes) throw new Error(`the data file ${path} is truncated: ${size} of ${fileBytes} bytes`);
  const newest = await newestTransaction(folder);
  if (log.isNew || newest === transaction) return false;
  if (newest === transaction + 1) return true;
  throw new Error(
    `the data file ${path} does not belong to its log: the log needs transaction ${transaction}, the file contains ${newest}`,
  );
}

/**
 * LMDB with a write-ahead log. A write is durable once it is in the log. A checkpoint flushes LMDB to disk and frees
 * the log. After a crash, the last LMDB state that is known to be complete is opened, and the log is replayed.
 */
export class Storage {
  /** True while LMDB may be inconsistent with the log. In that state, LMDB must not be read. */
  recovering = false;
  private spare = new Changes(recordHeadBytes);
  private syncing: Promise<void> | undefined;
  private syncError: Error | undefined;
  /** An LMDB transaction that is on disk but not recorded in the log yet. */
  private unnoted: Checkpoint | undefined;
  private oldestChange = Infinity;
  /**
   * True if a crash interrupted a checkpoint, so that the older log file has records that LMDB's state on disk lacks.
   */
  private bothFilesNeeded = false;

  private constructor(
    readonly environment: Environment,
    readonly log: WriteLog,
    private readonly limits: CheckpointLimits,
  ) {}

  /** Opens a folder and restores all acknowledged writes. Throws if a file is damaged, truncated or missing. */
  static async open(folder: string, limits = checkpoint): Promise<Storage> {
    const log = new WriteLog(folder, limits.logBytes);
    try {
      const records = log.read();
      const environment = new Environment(folder, await needsPrevious(folder, log));
      try {
        const storage = new Storage(environment, log, limits);
        await storage.begin();
        storage.replay(records);
        return storage;
      } catch (error) {
        await environment.close();
        throw error;
      }
    } catch (error) {
      log.close();
      throw error;
    }
  }

  /** Writes the format and a log into a new folder. Throws for a folder of another format. */
  private async begin(): Promise<void> {
    const { environment, log } = this;
    const format = environment.catalog.get(formatKey)?.[0];
    if (format !== undefined && format !== currentFormat)
      throw new Error(
        `the data in ${environment.path} has format ${format}, this server reads ${currentFormat}`,
      );
    if (format !== undefined) {
      if (log.isNew) throw new Error(`the log of the data in ${environment.path} is missing`);
      return;
    }
    if (log.isNew) await log.start(await environment.sync());
    environment.begin();
    environment.apply('catalog', formatKey, Buffer.from([currentFormat]));
    await this.commit();
    await log.noteCheckpoint(await environment.sync());
  }

  private replay(records: readonly LogRecord[]): void {
    const { environment, log } = this;
    environment.begin();
    const position = environment.catalog.get(positionKey)?.readUIntBE(0, positionBytes) ?? -1;
    const missing = records.filter((r) => r.sequence > position);
    const last = missing.at(-1)?.sequence ?? position;
    if (position > log.lastSequence || last - position !== missing.length) {
      throw new Error(
        `the log in ${environment.path} has no record ${Math.min(position, last - missing.length) + 1}: part of it is missing`,
      );
    }
    this.bothFilesNeeded = missing.length > 0 && missing[0]!.sequence < log.firstSequence;
    for (const r of missing) {
      if (r.kind !== recordKind.changes) continue;
      for (const { table, key, value } of changesIn(r.body)) environment.apply(table, key, value);
      this.oldestChange = performance.now();
    }
  }

  /**
   * Writes the changes to the log. Resolves when they are on disk. Changes made meanwhile belong to the next record.
   */
  async append(): Promise<void> {
    const { environment } = this;
    const spare = this.spare;
    const gathered = environment.changes;
    environment.changes = spare;
    this.oldestChange = Math.min(this.oldestChange, performance.now());
    try {
      await this.log.append(gathered.bytes, recordKind.changes);
    } finally {
      gathered.clear();
      this.spare = gathered;
    }
  }

  /** The milliseconds until the next checkpoint is due: 0 for now, Infinity if there is nothing to flush. */
  get checkpointInMs(): number {
    if (this.oldestChange === Infinity) return Infinity;
    const { logBytes, changes, ms } = this.limits;
    const { size } = this.log;
    // While the previous checkpoint is being flushed, the log may exceed its limit.
    if (this.syncing !== undefined && size < logBytes * slack) return recheckMs;
    if (size >= logBytes || this.environment.changesHeld >= changes) return 0;
    return Math.max(0, this.oldestChange + ms - performance.now());
  }

  /**
   * Commits to LMDB. All changes must be in the log. Resolves when writes may continue; the data is flushed in the
   * background, and the next checkpoint waits until it is flushed.
   */
  async checkpoint(): Promise<void> {
    await this.synced();
    await this.commit();
    this.oldestChange = Infinity;
    if (this.bothFilesNeeded) {
      await this.finish();
      await this.synced();
      this.bothFilesNeeded = false;
    }
    await this.log.switchSegments();
    this.syncing = this.finish();
  }

  private async commit(): Promise<void> {
    const position = Buffer.alloc(positionBytes);
    position.writeUIntBE(this.log.lastSequence, 0, positionBytes);
    this.environment.begin();
    this.environment.apply('catalog', positionKey, position);
    this.recovering = true;
    await this.environment.commit();
    this.recovering = false;
  }

  /**
   * A failed flush is never retried: a second fdatasync does not write the pages that the first call lost. A restart
   * recovers from the previous checkpoint.
   */
  private async finish(): Promise<void> {
    try {
      this.unnoted = await this.environment.sync();
      await this.noteCheckpoint();
    } catch (error) {
      if (this.unnoted === undefined) this.syncError = error as Error;
    } finally {
      this.syncing = undefined;
    }
  }

  private async noteCheckpoint(): Promise<void> {
    if (this.unnoted === undefined) return;
    await this.log.noteCheckpoint(this.unnoted);
    this.unnoted = undefined;
  }

  /**
   * Waits until the last checkpoint is flushed and recorded in the log. Only then may its log records be overwritten.
   */
  private async synced(): Promise<void> {
    await this.syncing;
    if (this.syncError !== undefined) throw this.syncError;
    await this.noteCheckpoint();
  }

  /**
   * Restores the state that the log describes, after a failure left LMDB with unlogged changes or without logged
   * changes.
   */
  async recover(): Promise<void> {
    this.recovering = true;
    await this.syncing;
    await this.environment.abort();
    this.replay(this.log.read());
    this.recovering = false;
  }

  /** Frees log space with a checkpoint and reserves some. Throws while the disk is full. */
  async makeRoom(): Promise<void> {
    if (this.oldestChange !== Infinity) await this.checkpoint();
    await this.synced();
    await this.log.reserve(roomBytes);
  }

  /** Takes a last checkpoint if possible, so that the next start need not replay the log. */
  async close(): Promise<void> {
    try {
      if (this.oldestChange !== Infinity) await this.checkpoint();
      await this.synced();
    } catch {
      // All acknowledged writes are in the log.
    }
    await this.environment.close();
    this.log.close();
  }
}
