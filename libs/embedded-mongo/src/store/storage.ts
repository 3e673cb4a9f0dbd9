import { Changes, changesIn } from './changes';
import { snapshotsIn } from './data-file';
import { Environment, dataFileOf } from './environment';
import { RECORD_HEAD_BYTES, RECORD_KIND, type LogRecord } from './log-record';
import { WriteLog } from './write-log';

/** 1: LMDB alone. 2: LMDB and a log, which a server that knows only 1 would leave out. */
const FORMAT = 2;
const FORMATS_READ = [1, FORMAT];
const FORMAT_KEY = Buffer.from('format');
/** Up to which record of the log a snapshot of LMDB holds what was written. */
const POSITION_KEY = Buffer.from('log');
const POSITION_BYTES = 6;

/** When LMDB is brought to disk, whichever comes first. They bound the log, the memory for changed pages, and a restart. */
export interface CheckpointLimits {
  readonly logBytes: number;
  readonly changes: number;
  readonly ms: number;
}

export const CHECKPOINT: CheckpointLimits = { logBytes: 16 << 20, changes: 150_000, ms: 5_000 };

/** How much larger than its limit the log may get while the disk is at work, and when to look again. */
const SLACK = 4;
const LOOK_AGAIN_MS = 20;

/** What is kept free in the log before writes go on after the disk was full. */
const ROOM_BYTES = 1 << 20;

/**
 * Whether LMDB has to be opened at the state before its last transaction: that one was committed and never known to be on
 * disk as a whole, so that the log, which holds all of it, is trusted instead.
 */
function needsPrevious(folder: string, log: WriteLog): boolean {
  const path = dataFileOf(folder);
  const { snapshots, size } = snapshotsIn(path);
  if (log.isNew) return false;
  const safe = snapshots.find((s) => s.transaction === log.checkpoint);
  if (safe === undefined) {
    const there = snapshots.map((s) => s.transaction).join(' and ') || 'none';
    throw new Error(
      `the data file ${path} does not belong to the log beside it: that needs transaction ${log.checkpoint}, the file holds ${there}`,
    );
  }
  if (size < safe.bytes) throw new Error(`the data file ${path} is cut off: ${size} of ${safe.bytes} bytes`);
  return safe !== snapshots[0];
}

/**
 * LMDB and the log in front of it. What was written is durable when it is in the log; a checkpoint brings LMDB to disk and
 * frees the log. After a crash the last LMDB state that is surely whole is opened and the log replayed on it.
 */
export class Storage {
  /** Whether LMDB may lack something that is in the log; it must not be read meanwhile. */
  recovering = false;
  /** How many checkpoints this process has taken. */
  checkpoints = 0;
  private spare = new Changes(RECORD_HEAD_BYTES);
  private syncing: Promise<void> | undefined;
  private syncError: Error | undefined;
  /** A transaction that is on disk without the log saying so yet. */
  private unnoted: number | undefined;
  private oldestChange = Infinity;

  private constructor(
    readonly environment: Environment,
    readonly log: WriteLog,
    private readonly limits: CheckpointLimits,
  ) {}

  /** Opens a folder and brings back what was acknowledged. Throws when a file in it is damaged, cut off or missing. */
  static async open(folder: string, limits = CHECKPOINT): Promise<Storage> {
    const log = new WriteLog(folder, limits.logBytes);
    try {
      const records = log.read();
      const environment = new Environment(folder, needsPrevious(folder, log));
      try {
        const storage = new Storage(environment, log, limits);
        await storage.upgrade();
        storage.replay(records);
        return storage;
      } catch (e) {
        await environment.close();
        throw e;
      }
    } catch (e) {
      log.close();
      throw e;
    }
  }

  /** Makes a new folder, or one of format 1, one that needs its log. */
  private async upgrade(): Promise<void> {
    const { environment, log } = this;
    const format = environment.catalog.get(FORMAT_KEY)?.[0];
    if (format !== undefined && !FORMATS_READ.includes(format)) {
      throw new Error(`the data in ${environment.path} has format ${format}, this server reads ${FORMAT}`);
    }
    if (format === FORMAT) {
      if (log.isNew) throw new Error(`the log of the data in ${environment.path} is missing`);
      return;
    }
    if (log.isNew) await log.start(await environment.sync());
    environment.begin();
    environment.apply('catalog', FORMAT_KEY, Buffer.from([FORMAT]));
    await this.commit();
    await log.noteCheckpoint(await environment.sync());
  }

  private replay(records: readonly LogRecord[]): void {
    const { environment, log } = this;
    environment.begin();
    const position = environment.catalog.get(POSITION_KEY)?.readUIntBE(0, POSITION_BYTES) ?? -1;
    const missing = records.filter((r) => r.sequence > position);
    const last = missing.at(-1)?.sequence ?? position;
    if (position > log.lastSequence || last - position !== missing.length) {
      throw new Error(
        `the log in ${environment.path} has no record ${Math.min(position, last - missing.length) + 1}: part of it is missing`,
      );
    }
    for (const r of missing) {
      if (r.kind !== RECORD_KIND.changes) continue;
      for (const { table, key, value } of changesIn(r.body)) environment.apply(table, key, value);
      this.oldestChange = performance.now();
    }
  }

  /** Writes what was changed to the log; on disk when the promise resolves. What is changed meanwhile is the next record. */
  async append(): Promise<void> {
    const { environment, spare } = this;
    const gathered = environment.changes;
    environment.changes = spare;
    this.oldestChange = Math.min(this.oldestChange, performance.now());
    try {
      await this.log.append(gathered.bytes, RECORD_KIND.changes);
    } finally {
      gathered.clear();
      this.spare = gathered;
    }
  }

  /** In how many milliseconds a checkpoint should be taken; 0 for now, Infinity while there is nothing to bring to disk. */
  get checkpointInMs(): number {
    if (this.oldestChange === Infinity) return Infinity;
    const { logBytes, changes, ms } = this.limits;
    const { size } = this.log;
    // While the disk is at work for the one before, the log may grow some more.
    if (this.syncing !== undefined && size < logBytes * SLACK) return LOOK_AGAIN_MS;
    if (size >= logBytes || this.environment.changesHeld >= changes) return 0;
    return Math.max(0, this.oldestChange + ms - performance.now());
  }

  /**
   * Brings LMDB to disk. Everything changed must be in the log. Resolves when others may write again; the disk then does
   * the rest, and the next checkpoint waits for it.
   */
  async checkpoint(): Promise<void> {
    await this.synced();
    await this.commit();
    this.oldestChange = Infinity;
    this.checkpoints++;
    await this.log.turn();
    this.syncing = this.finish();
  }

  private async commit(): Promise<void> {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeUIntBE(this.log.lastSequence, 0, POSITION_BYTES);
    this.environment.begin();
    this.environment.apply('catalog', POSITION_KEY, position);
    this.recovering = true;
    await this.environment.commit();
    this.recovering = false;
  }

  /** Never retried: what a failed fdatasync left out, a second one does not bring. A restart begins at the checkpoint before. */
  private async finish(): Promise<void> {
    try {
      this.unnoted = await this.environment.sync();
      await this.noteCheckpoint();
    } catch (e) {
      if (this.unnoted === undefined) this.syncError = e as Error;
    } finally {
      this.syncing = undefined;
    }
  }

  private async noteCheckpoint(): Promise<void> {
    if (this.unnoted === undefined) return;
    await this.log.noteCheckpoint(this.unnoted);
    this.unnoted = undefined;
  }

  /** Waits until the last checkpoint is on disk and the log says so: only then may its records be written over. */
  private async synced(): Promise<void> {
    await this.syncing;
    if (this.syncError !== undefined) throw this.syncError;
    await this.noteCheckpoint();
  }

  /** Goes back to what is in the log, after a failure left LMDB with changes that are not, or without some that are. */
  async recover(): Promise<void> {
    this.recovering = true;
    await this.syncing;
    await this.environment.abort();
    this.replay(this.log.read());
    this.recovering = false;
  }

  /** Frees what it can of the log and makes sure of some space; throws while the disk is full. */
  async makeRoom(): Promise<void> {
    if (this.oldestChange !== Infinity) await this.checkpoint();
    await this.synced();
    await this.log.reserve(ROOM_BYTES);
  }

  /** Leaves nothing in the log for the next start, if the disk lets it. */
  async close(): Promise<void> {
    try {
      if (this.oldestChange !== Infinity) await this.checkpoint();
      await this.synced();
    } catch {
      // What is acknowledged is in the log.
    }
    await this.environment.close();
    this.log.close();
  }
}
