import { createHash } from 'node:crypto';
import { MongoError } from '../errors';
import { undefinedValue } from '../bson/make';
import { BsonType } from '../bson/types';
import { FieldReader, getField, type BsonValue } from '../bson/value';
import type { KeyWriter } from './key-writer';
import { elementAt, type Path } from './path';

/** LMDB's keys are limited to 1,978 bytes. A longer index key is truncated and ends with a hash of the whole key. */
export const keyBytesMax = 1_800;
const hashBytes = 20;
export const cutBytes = keyBytesMax - hashBytes;

export interface KeyField {
  readonly path: Path;
  readonly descending: boolean;
}

export interface IndexKeys {
  /**
   * The keys, including the index's prefix. They are views of the writer's buffer, valid until it is reset. The same
   * key may occur twice.
   */
  readonly keys: readonly Buffer[];
  /** For each field, whether the document has an array on its path. */
  readonly multi: readonly boolean[];
  /** True if a key was too long and was truncated. The order of the index then differs from that of the values. */
  readonly cut: boolean;
}

/** The position on a field's path. */
interface PathCursor {
  readonly value: BsonValue | undefined;
  readonly at: number;
  readonly done: boolean;
}

/** A range of the writer's buffer. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const noSuffix = Buffer.alloc(0);
const nowhere: Span = { start: 0, end: 0 };

/**
 * Derives the index keys of a document. An array yields a key per element. Throws code 171 if several fields of the
 * index have an array on their paths.
 */
export class KeyMaker {
  private writer!: KeyWriter;
  private suffix: Buffer = noSuffix;
  private spans: number[] = [];
  private cut = false;
  /** The ranges of the writer's buffer with the parts of all keys before and after the field with the array. */
  private head: Span = nowhere;
  private tail: Span = nowhere;

  constructor(
    private readonly prefix: Buffer,
    private readonly fields: readonly KeyField[],
    private readonly bytesMax = keyBytesMax,
  ) {}

  /** Appends the keys to the writer's contents, each followed by the suffix. */
  keysOf(doc: BsonValue, writer: KeyWriter, suffix: Buffer = noSuffix): IndexKeys {
    this.writer = writer;
    this.suffix = suffix;
    this.spans = [];
    this.cut = false;
    const cursors = this.cursorsOf(doc);
    const multi = cursors.map(({ done }) => !done);
    const field = multi.indexOf(true);
    if (field !== multi.lastIndexOf(true)) throw parallelArrays(this.fields, multi);
    const start = writer.length;
    writer.bytes(this.prefix);
    if (field === -1) {
      this.write(cursors, 0, cursors.length);
      this.finish(start);
    } else {
      this.write(cursors, 0, field);
      const middle = writer.length;
      this.write(cursors, field + 1, cursors.length);
      this.head = { start, end: middle };
      this.tail = { start: middle, end: writer.length };
      const { path, descending } = this.fields[field]!;
      eachElement(path, cursors[field]!, (value) => this.emit(descending, value));
    }
    const keys: Buffer[] = [];
    const spans = this.spans;
    for (let i = 0; i < spans.length; i += 2) keys.push(writer.view(spans[i]!, spans[i + 1]!));
    return { keys, multi, cut: this.cut };
  }

  /** The values of the fields in the key with this number. */
  valuesOf(doc: BsonValue, n: number): readonly (BsonValue | undefined)[] {
    return this.cursorsOf(doc).map((cursor, i) => {
      if (cursor.done) return cursor.value;
      const values: (BsonValue | undefined)[] = [];
      eachElement(this.fields[i]!.path, cursor, (value) => values.push(value));
      return values[n];
    });
  }

  private cursorsOf(doc: BsonValue): PathCursor[] {
    return this.fields.map(({ path }) => advance(doc, 0, path));
  }

  private emit(descending: boolean, value: BsonValue | undefined): void {
    const w = this.writer;
    const start = w.length;
    w.copyWritten(this.head.start, this.head.end);
    const at = w.length;
    w.value(value);
    if (descending) w.invert(at);
    w.copyWritten(this.tail.start, this.tail.end);
    this.finish(start);
  }

  /** Ends the key that begins at `start`. */
  private finish(start: number): void {
    const w = this.writer;
    if (w.length - start > this.bytesMax) {
      this.cut = true;
      const short = cutKey(w.view(start, w.length));
      w.reset(start);
      w.bytes(short);
    }
    w.bytes(this.suffix);
    this.spans.push(start, w.length);
  }

  private write(cursors: readonly PathCursor[], from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const start = this.writer.length;
      this.writer.value(cursors[i]!.value);
      if (this.fields[i]!.descending) this.writer.invert(start);
    }
  }
}

/** Passes each value of the array where the cursor stopped to `take`, or one value for an empty array. */
function eachElement(
  path: Path,
  { value: array, at }: PathCursor,
  take: (value: BsonValue | undefined) => void,
): void {
  const isLast = at === path.segments.length;
  const r = new FieldReader(array!);
  let any = r.next();
  do {
    if (isLast) take(any ? r.value : undefinedValue);
    else if (any && r.value.type === BsonType.object) {
      const inner = advance(r.value, at, path);
      if (inner.done) take(inner.value);
      else eachElement(path, inner, take);
    } else take(undefined);
    any = any && r.next();
  } while (any);
}

/**
 * Follows the path to its end, or to an array that must be expanded. In that case, `done` is false and `value` is the
 * array.
 */
function advance(start: BsonValue, from: number, { segments }: Path): PathCursor {
  let value: BsonValue | undefined = start;
  let at = from;
  for (;;) {
    if (value !== undefined && value.type === BsonType.array) {
      const position = at < segments.length ? segments[at]!.index : -1;
      const element: BsonValue | undefined = position < 0 ? undefined : elementAt(value, position);
      if (element === undefined) return { value, at, done: false };
      value = element;
      at++;
    } else if (at === segments.length) {
      return { value, at, done: true };
    } else if (value !== undefined && value.type === BsonType.object) {
      value = getField(value, segments[at]!.bytes);
      at++;
    } else {
      return { value: undefined, at, done: true };
    }
  }
}

export const cutKey = (key: Buffer): Buffer =>
  key.length <= keyBytesMax
    ? key
    : Buffer.concat([key.subarray(0, cutBytes), createHash('sha1').update(key).digest()]);

function parallelArrays(fields: readonly KeyField[], multi: readonly boolean[]): MongoError {
  const names = fields.filter((_, i) => multi[i]).map((f) => `[${f.path.segments.at(-1)!.name}]`);
  return new MongoError(171, `cannot index parallel arrays ${names.reverse().join(' ')}`);
}
