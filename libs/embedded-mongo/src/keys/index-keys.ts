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
  /** For each field, whether its keys come from a value that is not an array element at the end of the path. */
  readonly scalar: readonly boolean[];
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
 * Derives the index keys of a document. An array yields a key per element; fields of a compound index that pass through
 * the same array take their values from the same element. Throws code 171 for two different arrays.
 */
export class KeyMaker {
  private writer!: KeyWriter;
  private suffix: Buffer = noSuffix;
  private spans: number[] = [];
  private multi: boolean[] = [];
  private cut = false;
  /** The fields before `from` and from `to` on have the same values in all keys of a document. */
  private from = 0;
  private to = 0;
  /**
   * The ranges of the writer's buffer with the common start of the document's keys (prefix and fields before `from`),
   * and their common end (fields from `to` on).
   */
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
    this.multi = this.fields.map(() => false);
    this.cut = false;
    const cursors = this.fields.map(({ path }) => advance({ value: doc, at: 0, done: false }, path));
    const scalar = this.scalarIn(cursors);
    this.share(cursors);
    this.expand(cursors);
    const keys: Buffer[] = [];
    const spans = this.spans;
    for (let i = 0; i < spans.length; i += 2) keys.push(writer.view(spans[i]!, spans[i + 1]!));
    return { keys, multi: this.multi, scalar, cut: this.cut };
  }

  private scalarIn(cursors: readonly PathCursor[]): boolean[] {
    return cursors.map(({ done, at, value }, i) =>
      done ? value !== undefined : at < this.fields[i]!.path.segments.length,
    );
  }

  /** Writes the parts before and after the array's fields once. They are then copied to each key. */
  private share(cursors: readonly PathCursor[]): void {
    const writer = this.writer;
    this.from = 0;
    this.to = cursors.length;
    while (this.from < cursors.length && cursors[this.from]!.done) this.from++;
    if (this.from === cursors.length) {
      this.from = 0;
      this.head = this.tail = nowhere;
      return;
    }
    while (cursors[this.to - 1]!.done) this.to--;
    const start = writer.length;
    writer.bytes(this.prefix);
    this.write(cursors, 0, this.from);
    const middle = writer.length;
    this.write(cursors, this.to, cursors.length);
    this.head = { start, end: middle };
    this.tail = { start: middle, end: writer.length };
  }

  private expand(cursors: readonly PathCursor[]): void {
    let array: BsonValue | undefined;
    for (let i = this.from; i < this.to; i++) {
      const { done, value } = cursors[i]!;
      if (done) continue;
      this.multi[i] = true;
      if (array !== undefined && array.start !== value!.start) throw parallelArrays(this.fields, this.multi);
      array ??= value;
    }
    if (array === undefined) {
      this.emit(cursors);
      return;
    }
    if (this.isSpread(cursors)) {
      this.emitElements(array);
      return;
    }
    const r = new FieldReader(array);
    let any = false;
    while (r.next()) {
      any = true;
      this.expand(this.within(cursors, r.value));
    }
    if (!any) this.expand(this.within(cursors, undefined));
  }

  /** True in the common case: a single field has an array, at the end of its path, so the elements are its values. */
  private isSpread(cursors: readonly PathCursor[]): boolean {
    const from = this.from;
    const isLast = cursors[from]!.at === this.fields[from]!.path.segments.length;
    return this.to === from + 1 && isLast;
  }

  /**
   * Does the same as `emit` for each element. This saves half of the time of `within`, `expand` and `emit` (November
   * 2026).
   */
  private emitElements(array: BsonValue): void {
    const w = this.writer;
    const head = this.head;
    const tail = this.tail;
    const { descending } = this.fields[this.from]!;
    const r = new FieldReader(array);
    let any = r.next();
    do {
      const start = w.length;
      w.again(head.start, head.end);
      const at = w.length;
      w.value(any ? r.value : undefinedValue);
      if (descending) w.invert(at);
      w.again(tail.start, tail.end);
      this.finish(start);
      any = any && r.next();
    } while (any);
  }

  /** The cursors, continued within an element of the array where they stopped. Undefined stands for an empty array. */
  private within(cursors: readonly PathCursor[], element: BsonValue | undefined): PathCursor[] {
    const inner = cursors.slice();
    for (let i = this.from; i < this.to; i++) {
      const { done, at } = cursors[i]!;
      if (done) continue;
      const { path } = this.fields[i]!;
      if (at === path.segments.length) inner[i] = { value: element ?? undefinedValue, at, done: true };
      else if (element?.type === BsonType.object)
        inner[i] = advance({ value: element, at, done: false }, path);
      else inner[i] = { value: undefined, at, done: true };
    }
    return inner;
  }

  private emit(cursors: readonly PathCursor[]): void {
    const w = this.writer;
    const start = w.length;
    if (this.head === nowhere) w.bytes(this.prefix);
    else w.again(this.head.start, this.head.end);
    this.write(cursors, this.from, this.to);
    w.again(this.tail.start, this.tail.end);
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

/**
 * Follows the path to its end, or to an array that must be expanded. In that case, `done` is false and `value` is the
 * array.
 */
function advance(cursor: PathCursor, path: Path): PathCursor {
  if (cursor.done) return cursor;
  const { segments } = path;
  let { value, at } = cursor;
  for (;;) {
    if (value !== undefined && value.type === BsonType.array) {
      const position = at < segments.length ? segments[at]!.index : -1;
      const element = position < 0 ? undefined : elementAt(value, position);
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
