import { createHash } from 'node:crypto';
import { MongoError } from '../errors';
import { UNDEFINED } from '../bson/make';
import { T } from '../bson/types';
import { FieldReader, getField, type Val } from '../bson/value';
import type { KeyWriter } from './key-writer';
import { elementAt, type Path } from './path';

/** LMDB takes keys of 1,978 bytes; longer index keys keep this many bytes and a hash of the whole. */
export const KEY_BYTES_MAX = 1_800;
const HASH_BYTES = 20;
export const CUT_BYTES = KEY_BYTES_MAX - HASH_BYTES;

export interface KeyField {
  readonly path: Path;
  readonly descending: boolean;
}

export interface IndexKeys {
  /** The keys, each with the index's own prefix; views of the writer, good until that is reset. A key may come twice. */
  readonly keys: readonly Buffer[];
  /** For each field whether the document has an array on its path. */
  readonly multi: readonly boolean[];
  /** Whether a key was too long and was cut: then the index's order is not the values' order. */
  readonly cut: boolean;
}

/** How far the walk along one field's path has come. */
interface Walk {
  readonly value: Val | undefined;
  readonly at: number;
  readonly done: boolean;
}

const NO_SUFFIX = Buffer.alloc(0);

/**
 * The keys under which an index files a document. Arrays give a key per element; fields of a compound index that go
 * through the same array are taken from the same element. Throws code 171 for two different arrays.
 */
export class KeyMaker {
  private writer!: KeyWriter;
  private suffix: Buffer = NO_SUFFIX;
  private spans: number[] = [];
  private multi: boolean[] = [];
  private cut = false;
  private visit: ((start: number, values: readonly (Val | undefined)[]) => void) | undefined;

  constructor(
    private readonly prefix: Buffer,
    private readonly fields: readonly KeyField[],
    private readonly bytesMax = KEY_BYTES_MAX,
  ) {}

  /** Writes the keys behind what the writer holds already, each followed by the suffix. */
  keysOf(doc: Val, writer: KeyWriter, suffix: Buffer = NO_SUFFIX): IndexKeys {
    this.writer = writer;
    this.suffix = suffix;
    this.spans = [];
    this.multi = this.fields.map(() => false);
    this.cut = false;
    this.expand(this.fields.map(() => ({ value: doc, at: 0, done: false })));
    const keys: Buffer[] = [];
    const { spans } = this;
    for (let i = 0; i < spans.length; i += 2) keys.push(writer.view(spans[i]!, spans[i + 1]!));
    return { keys, multi: this.multi, cut: this.cut };
  }

  /** The values of the fields behind one of a document's keys, for the message of a duplicate. */
  valuesBehind(doc: Val, key: Buffer, writer: KeyWriter): readonly (Val | undefined)[] {
    let found: readonly (Val | undefined)[] = [];
    this.visit = (start, values) => {
      if (writer.view(start, writer.length).equals(key)) found = values;
    };
    this.keysOf(doc, writer);
    this.visit = undefined;
    return found;
  }

  private expand(given: readonly Walk[]): void {
    let array: Val | undefined;
    const walks = given.map((w, i) => {
      const on = advance(w, this.fields[i]!.path);
      if (on.done) return on;
      this.multi[i] = true;
      if (array !== undefined && array.start !== on.value!.start)
        throw parallelArrays(this.fields, this.multi);
      array ??= on.value;
      return on;
    });
    if (array === undefined) {
      this.emit(walks);
      return;
    }
    const r = new FieldReader(array);
    let any = false;
    while (r.next()) {
      any = true;
      this.expand(this.stepAll(walks, r.value));
    }
    if (!any) this.expand(this.stepAll(walks, undefined));
  }

  /** The walks inside one element of the array that stopped them (undefined: the array is empty). */
  private stepAll(walks: readonly Walk[], element: Val | undefined): Walk[] {
    return walks.map((w, i) => {
      if (w.done) return w;
      if (w.at === this.fields[i]!.path.segments.length) {
        return { value: element ?? UNDEFINED, at: w.at, done: true };
      }
      if (element?.type === T.OBJECT) return { value: element, at: w.at, done: false };
      return { value: undefined, at: w.at, done: true };
    });
  }

  private emit(walks: readonly Walk[]): void {
    const w = this.writer;
    const start = w.length;
    w.bytes(this.prefix);
    for (let i = 0; i < walks.length; i++) {
      const from = w.length;
      w.value(walks[i]!.value);
      if (this.fields[i]!.descending) w.invert(from);
    }
    if (w.length - start > this.bytesMax) {
      this.cut = true;
      const short = cutKey(w.view(start, w.length));
      w.reset(start);
      w.bytes(short);
    }
    this.visit?.(
      start,
      walks.map((walk) => walk.value),
    );
    w.bytes(this.suffix);
    this.spans.push(start, w.length);
  }
}

/** Goes along the path until its end, or until an array stops it: then it is not done and stands at the array. */
function advance(w: Walk, path: Path): Walk {
  if (w.done) return w;
  const { segments } = path;
  let { value, at } = w;
  for (;;) {
    if (value !== undefined && value.type === T.ARRAY) {
      const position = at < segments.length ? segments[at]!.index : -1;
      const element = position < 0 ? undefined : elementAt(value, position);
      if (element === undefined) return { value, at, done: false };
      value = element;
      at++;
    } else if (at === segments.length) {
      return { value, at, done: true };
    } else if (value !== undefined && value.type === T.OBJECT) {
      value = getField(value, segments[at]!.bytes);
      at++;
    } else {
      return { value: undefined, at, done: true };
    }
  }
}

export const cutKey = (key: Buffer): Buffer =>
  key.length <= KEY_BYTES_MAX
    ? key
    : Buffer.concat([key.subarray(0, CUT_BYTES), createHash('sha1').update(key).digest()]);

function parallelArrays(fields: readonly KeyField[], multi: readonly boolean[]): MongoError {
  const names = fields.filter((_, i) => multi[i]).map((f) => `[${f.path.segments.at(-1)!.name}]`);
  return new MongoError(171, `cannot index parallel arrays ${names.reverse().join(' ')}`);
}
