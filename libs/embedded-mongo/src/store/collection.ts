import { randomUUID } from 'node:crypto';
import { BsonType } from '../bson/types';
import { BsonValue, getField } from '../bson/value';
import { pathOf, type Path } from '../keys/path';
import { KeyMaker, type KeyField } from '../keys/index-keys';
import { compileFilter, type Matcher } from '../query/match';
import type { Node } from '../query/node';
import { parseFilter } from '../query/parse';
import { idBytes } from './environment';

/** The definition of an index, as in createIndexes and listIndexes. */
export interface IndexSpec {
  readonly name: string;
  readonly key: readonly (readonly [string, number])[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: BsonValue | undefined;
  readonly expireAfterSeconds: number | undefined;
}

/** The stored state of an index. */
export interface IndexState {
  readonly multi?: boolean[];
  readonly cut?: boolean;
  readonly ready: boolean;
}

/** An index at runtime. */
export class Index {
  readonly fields: readonly KeyField[];
  readonly prefix: Buffer;
  readonly maker: KeyMaker;
  /** The filter of a partial or sparse index. */
  readonly partialFilter: Node | undefined;
  readonly covers: Matcher | undefined;
  /** The top-level fields on which the index's keys depend. */
  private readonly reads: readonly Buffer[];
  /** For each field, whether any document ever had an array on its path. */
  multi: boolean[];
  /** Whether a key was ever truncated because of its length. */
  cut: boolean;
  /** False while the index is being built. Queries must not use the index during this time. */
  ready: boolean;

  constructor(
    readonly id: number,
    readonly spec: IndexSpec,
    state: IndexState,
    fields: readonly KeyField[],
  ) {
    this.fields = fields;
    this.prefix = idBytes(id);
    this.maker = new KeyMaker(this.prefix, fields);
    this.partialFilter = partialFilterOf(spec);
    this.covers = this.partialFilter && compileFilter(this.partialFilter);
    const paths = [...fields.map((f) => f.path), ...(this.partialFilter ? pathsIn(this.partialFilter) : [])];
    this.reads = [...new Set(paths.map((p) => p.segments[0]!.name))].map((name) => Buffer.from(name));
    this.multi = state.multi ?? fields.map(() => false);
    this.cut = state.cut ?? false;
    this.ready = state.ready;
  }

  /** True if two versions of a document may have different keys, because a field that the index reads differs. */
  mayFileDifferently(before: BsonValue, after: BsonValue): boolean {
    return this.reads.some((name) => {
      const a = getField(before, name);
      const b = getField(after, name);
      if (a === undefined || b === undefined) return a !== b;
      return a.type !== b.type || a.bytes.compare(b.bytes, b.start, b.end, a.start, a.end) !== 0;
    });
  }

  get name(): string {
    return this.spec.name;
  }

  get unique(): boolean {
    return this.spec.unique;
  }

  get multikey(): boolean {
    return this.multi.includes(true);
  }
}

/** A sparse index is a partial index of the documents that have its field. */
function partialFilterOf({ partial, sparse, key }: IndexSpec): Node | undefined {
  if (partial !== undefined) return parseFilter(partial);
  return sparse ? { kind: 'field', path: pathOf(key[0]![0]), test: { op: 'exists' } } : undefined;
}

function pathsIn(node: Node): Path[] {
  if (node.kind === 'field') return [node.path];
  return node.kind === 'not' ? pathsIn(node.node) : node.nodes.flatMap(pathsIn);
}

/** The state of a collection in memory. The catalog stores its definition and counts. */
export class Collection {
  indexes: Index[] = [];
  nextRecord = 1;
  count = 0;
  bytes = 0;
  dropped = false;
  /** The number of the group of writes that last changed a document. */
  changedIn = 0;

  constructor(
    readonly namespace: string,
    readonly id: number,
    readonly uuid: BsonValue,
  ) {}

  get idIndex(): Index {
    return this.indexes[0]!;
  }

  get readyIndexes(): Index[] {
    return this.indexes.filter((i) => i.ready);
  }

  /**
   * The indexes that queries may use. Unique indexes come first, because a lookup in a unique index makes other
   * candidates unnecessary.
   */
  get indexesUniqueFirst(): Index[] {
    const ready = this.readyIndexes;
    return [...ready.filter((i) => i.unique), ...ready.filter((i) => !i.unique)];
  }
}

/** Distinguishes a collection from a later collection with the same name. */
export function newUuid(): BsonValue {
  const b = Buffer.alloc(21);
  b.writeInt32LE(16);
  b[4] = 4;
  Buffer.from(randomUUID().replaceAll('-', ''), 'hex').copy(b, 5);
  return new BsonValue(BsonType.binary, b, 0, 21);
}
