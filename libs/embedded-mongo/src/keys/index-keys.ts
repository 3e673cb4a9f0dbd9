import { createHash } from 'node:crypto';
import { MongoError } from '../errors';
import { UNDEFINED } from '../bson/make';
import { T } from '../bson/types';
import { FieldReader, getField, type Val } from '../bson/value';
import { KeyWriter } from './key-writer';
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
  /** Distinct keys, each with the index's own prefix. */
  readonly keys: Buffer[];
  /** For each field whether the document has an array on its path. */
  readonly multi: boolean[];
  /** Whether a key was too long and was cut: then the index's order is not the values' order. */
  readonly cut: boolean;
}

/** How far the walk along one field's path has come. */
interface Walk {
  value: Val | undefined;
  at: number;
  done: boolean;
}

/**
 * The keys under which an index files a document. Arrays give a key per element; fields of a compound index that go
 * through the same array are taken from the same element. Throws code 171 for two different arrays.
 */
export class KeyMaker {
  private readonly writer = new KeyWriter();
  private keys: Buffer[] = [];
  private multi: boolean[] = [];
  private cut = false;
  private record: ((values: (Val | undefined)[]) => void) | undefined;

  constructor(
    private readonly prefix: Buffer,
    private readonly fields: readonly KeyField[],
  ) {}

  keysOf(doc: Val): IndexKeys {
    this.keys = [];
    this.multi = this.fields.map(() => false);
    this.cut = false;
    this.expand(this.fields.map(() => ({ value: doc, at: 0, done: false })));
    const keys = this.keys.length > 1 ? distinct(this.keys) : this.keys;
    return { keys, multi: this.multi, cut: this.cut };
  }

  /** The values of the fields behind one of a document's keys, for the message of a duplicate. */
  valuesBehind(doc: Val, key: Buffer): (Val | undefined)[] {
    let found: (Val | undefined)[] = [];
    this.record = (values) => {
      if (this.keys.at(-1)!.equals(key)) found = values;
    };
    this.keysOf(doc);
    this.record = undefined;
    return found;
  }

  private expand(walks: Walk[]): void {
    let array: Val | undefined;
    for (let i = 0; i < walks.length; i++) {
      const blocked = this.advance(walks[i]!, this.fields[i]!.path);
      if (!blocked) continue;
      this.multi[i] = true;
      if (array === undefined) array = blocked;
      else if (array.start !== blocked.start) throw parallelArrays(this.fields, this.multi);
    }
    if (array === undefined) return this.emit(walks);
    const r = new FieldReader(array);
    let any = false;
    while (r.next()) {
      any = true;
      this.expand(this.stepAll(walks, r.value));
    }
    if (!any) this.expand(this.stepAll(walks, undefined));
  }

  /** Goes along the path until its end or an array; returns the array that stops it. */
  private advance(w: Walk, path: Path): Val | undefined {
    const { segments } = path;
    while (!w.done) {
      const v = w.value;
      if (v !== undefined && v.type === T.ARRAY) {
        const position = w.at < segments.length ? segments[w.at]!.index : -1;
        const element = position < 0 ? undefined : elementAt(v, position);
        if (element === undefined) return v;
        w.value = element;
        w.at++;
      } else if (w.at === segments.length) {
        w.done = true;
      } else if (v !== undefined && v.type === T.OBJECT) {
        w.value = getField(v, segments[w.at]!.bytes);
        w.at++;
      } else {
        w.value = undefined;
        w.done = true;
      }
    }
    return undefined;
  }

  /** The walks inside one element of the array that stopped them (undefined: the array is empty). */
  private stepAll(walks: readonly Walk[], element: Val | undefined): Walk[] {
    return walks.map((w, i) => {
      if (w.done) return { ...w };
      if (w.at === this.fields[i]!.path.segments.length) {
        return { value: element ?? UNDEFINED, at: w.at, done: true };
      }
      if (element?.type === T.OBJECT) return { value: element, at: w.at, done: false };
      return { value: undefined, at: w.at, done: true };
    });
  }

  private emit(walks: Walk[]): void {
    const w = this.writer;
    w.reset();
    w.bytes(this.prefix);
    for (let i = 0; i < walks.length; i++) {
      const start = w.length;
      w.value(walks[i]!.value);
      if (this.fields[i]!.descending) w.invert(start);
    }
    if (w.length > KEY_BYTES_MAX) {
      this.cut = true;
      this.keys.push(cutKey(w.take()));
    } else {
      this.keys.push(w.take());
    }
    this.record?.(walks.map((walk) => walk.value));
  }
}

export const cutKey = (key: Buffer): Buffer =>
  key.length <= KEY_BYTES_MAX
    ? key
    : Buffer.concat([key.subarray(0, CUT_BYTES), createHash('sha1').update(key).digest()]);

function distinct(keys: Buffer[]): Buffer[] {
  const seen = new Set<string>();
  return keys.filter((k) => {
    const s = k.toString('latin1');
    if (seen.has(s)) return false;
    seen.add(s);
    return true;
  });
}

function parallelArrays(fields: readonly KeyField[], multi: readonly boolean[]): MongoError {
  const names = fields.filter((_, i) => multi[i]).map((f) => `[${f.path.segments.at(-1)!.name}]`);
  return new MongoError(171, `cannot index parallel arrays ${names.reverse().join(' ')}`);
}
