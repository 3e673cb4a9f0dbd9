import type { Index } from '../store/collection';
import { recordSize, type Environment, type KeyRange } from '../store/environment';
import type { Pausable, Progress } from './progress';

/** Keys from `low` (inclusive) to `high` (exclusive). */
export interface ByteRange {
  readonly low: Buffer;
  readonly high: Buffer;
  /** The only possible key in the range, if all fields of a unique index are fixed. */
  readonly only?: Buffer;
  /** True if the range may include keys outside the original bounds, because long keys are truncated. */
  readonly loose?: boolean;
}

interface Entry {
  key: Buffer;
  value: Buffer;
}

/**
 * Iterates over the keys of an index, or over documents, within ordered ranges, forwards or backwards. An LMDB cursor is
 * open only during a turn of the event loop; afterwards the iteration continues after the last key.
 */
export class KeyStream implements Pausable {
  key: Buffer = Buffer.alloc(0);
  /** The stored document, or the value of a key in a unique index. */
  value: Buffer = Buffer.alloc(0);
  record = 0;
  private range = 0;
  private last: Buffer | undefined;
  private cursor: Iterator<Buffer | Entry> | undefined;

  constructor(
    private readonly environment: Environment,
    /** Undefined for documents. */
    private readonly index: Index | undefined,
    private readonly ranges: readonly ByteRange[],
    private readonly backwards: boolean,
    private readonly progress: Progress,
  ) {}

  next(): boolean {
    for (;;) {
      if (this.range >= this.ranges.length) return false;
      this.cursor ??= this.open();
      const step = this.cursor.next();
      if (step.done !== true) {
        this.take(step.value);
        this.progress.counters[this.index ? 'keys' : 'documents']++;
        return true;
      }
      this.close();
      this.range++;
      this.last = undefined;
    }
  }

  private get hasValues(): boolean {
    return this.index?.unique !== false;
  }

  pause(): void {
    this.cursor?.return?.();
    this.cursor = undefined;
  }

  private close(): void {
    this.cursor = undefined;
    this.progress.untrack(this);
  }

  private take(entry: Buffer | Entry): void {
    if (this.hasValues) ({ key: this.key, value: this.value } = entry as Entry);
    else this.key = entry as Buffer;
    this.record = this.index?.unique
      ? this.value.readUIntBE(0, recordSize)
      : this.key.readUIntBE(this.key.length - recordSize, recordSize);
    this.last = this.key;
  }

  private lookUp(key: Buffer): Iterator<Entry> {
    const value = this.last === undefined ? this.environment.indexes.get(key) : undefined;
    return (value === undefined ? [] : [{ key, value }])[Symbol.iterator]();
  }

  private open(): Iterator<Buffer | Entry> {
    const { low, high, only } =
      this.ranges[this.backwards ? this.ranges.length - 1 - this.range : this.range]!;
    if (only !== undefined) return this.lookUp(only);
    const range: KeyRange = this.backwards
      ? { start: this.last ?? high, exclusiveStart: true, end: low, inclusiveEnd: true, reverse: true }
      : { start: this.last ?? low, exclusiveStart: this.last !== undefined, end: high };
    this.progress.track(this);
    const table = this.environment[this.index ? 'indexes' : 'documents'];
    const entries: Iterable<Buffer | Entry> = this.hasValues ? table.getRange(range) : table.getKeys(range);
    return entries[Symbol.iterator]();
  }
}

const firstStepKeys = 128;
/** About 1 ms of work. */
const stepKeysMax = 8_192;

/**
 * Counts the keys of a range in steps, so that the caller may stop in between. Counting by LMDB is much faster than a
 * cursor in JavaScript, but it has no limit, and skipping keys does not stop at the end of the range. Steps grow so
 * that wasted work stays proportional to the count.
 */
export function* countRange(environment: Environment, range: ByteRange): Generator<number, void, void> {
  const { indexes } = environment;
  let { low } = range;
  for (let step = firstStepKeys; ; step = Math.min(step * 2, stepKeysMax)) {
    const ahead: KeyRange = { start: low, end: range.high, offset: step, limit: 1 };
    const [next] = [...indexes.getKeys(ahead)];
    if (next === undefined) {
      yield indexes.getKeysCount({ start: low, end: range.high });
      return;
    }
    yield step;
    low = next;
  }
}
