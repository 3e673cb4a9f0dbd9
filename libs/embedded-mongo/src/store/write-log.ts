import { join } from 'node:path';
import {
  checkpointBytes,
  readCheckpoint,
  recordHeadBytes,
  recordKind,
  writeCheckpoint,
  type Checkpoint,
  type LogRecord,
} from './log-record';
import { LogSegment } from './log-segment';

const files = ['log.0', 'log.1'] as const;

/**
 * The write-ahead log since the last checkpoint, in two files used in turn. A file is overwritten only after a
 * checkpoint that contains all of its records is safely on disk.
 */
export class WriteLog {
  private readonly segments: readonly LogSegment[];
  private current: LogSegment;
  private last = 0;
  /** Resolves when no record is being written. */
  private writing = Promise.resolve();
  /** The last known checkpoint. */
  checkpoint: Checkpoint = { transaction: 0, fileBytes: 0 };

  constructor(folder: string, segmentBytes: number) {
    this.segments = files.map((name) => new LogSegment(join(folder, name), segmentBytes));
    this.current = this.segments[0]!;
  }

  /** True if the log has never been started. */
  get isNew(): boolean {
    return this.current.header === undefined;
  }

  /** The size of the records since the last checkpoint. */
  get size(): number {
    return this.current.size;
  }

  /** The sequence of the first record of the newer file. */
  get firstSequence(): number {
    return this.current.header!.firstSequence;
  }

  get lastSequence(): number {
    return this.last;
  }

  /** Reads all records, oldest first, and drops those before a gap. */
  read(): readonly LogRecord[] {
    const read = this.segments
      .map((segment) => ({ segment, records: segment.read() }))
      .filter(({ segment }) => segment.header !== undefined)
      .sort((a, b) => a.segment.header!.generation - b.segment.header!.generation);
    const newest = read.at(-1);
    if (newest === undefined) return [];
    this.current = newest.segment;
    const { firstSequence, checkpoint } = newest.segment.header!;
    this.last = firstSequence - 1 + newest.records.length;
    this.checkpoint = checkpoint;
    for (const r of newest.records) {
      if (r.kind === recordKind.checkpoint) this.checkpoint = readCheckpoint(r.body, 0);
    }
    const records = read.flatMap((r) => r.records);
    const gap = records.findIndex((r, i) => i > 0 && r.sequence !== records[i - 1]!.sequence + 1);
    // Records before a gap belong to an overwritten file, so a checkpoint contains them. If one of them is still
    // needed, replay detects that it is missing.
    return gap < 0 ? records : records.slice(gap);
  }

  /** Writes a record whose body follows space for its header. Resolves when it is on disk. */
  append(record: Buffer, kind: number): Promise<void> {
    const written = this.writing.then(() => this.appendNow(record, kind));
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async appendNow(record: Buffer, kind: number): Promise<void> {
    await this.current.append(record, this.last + 1, kind);
    this.last++;
  }

  reserve(bytes: number): Promise<void> {
    return this.current.reserve(bytes);
  }

  /** Continues in the other file. Its records are no longer needed, because `checkpoint` is on disk. */
  async switchSegments(): Promise<void> {
    const next = this.segments.find((s) => s !== this.current)!;
    const generation = (this.current.header?.generation ?? 0) + 1;
    await next.begin({ generation, firstSequence: this.last + 1, checkpoint: this.checkpoint });
    this.current = next;
  }

  async noteCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const record = Buffer.alloc(recordHeadBytes + checkpointBytes);
    writeCheckpoint(record, recordHeadBytes, checkpoint);
    await this.append(record, recordKind.checkpoint);
    this.checkpoint = checkpoint;
  }

  /** Starts the log of a folder that has none. Everything in LMDB must be on disk. */
  async start(checkpoint: Checkpoint): Promise<void> {
    this.checkpoint = checkpoint;
    await this.switchSegments();
  }

  close(): void {
    for (const s of this.segments) s.close();
  }
}
