import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';
import { duplicatesIn } from './faults';

export interface Versioned {
  /** Increases by one with every change. */
  readonly version: number;
}

/** How a value is stored. */
export interface ReadModelDocument<T extends Versioned> {
  readonly _id: string;
  readonly version: number;
  readonly value: T;
}

export interface ReadModelOptions<T extends Versioned> {
  readonly name: string;
  /** The key of a value; contains the retailer if the value belongs to one. */
  key(value: T): string;
  /** Secondary keys by name; undefined where a value has no such key. */
  readonly lookups?: Readonly<Record<string, (value: T) => string | undefined>>;
  /** Persists the values, so that the service can start while their owner is unavailable. */
  readonly collection: Collection<ReadModelDocument<T>>;
  readonly log: Log;
}

/** A copy of data that another service owns. An older version never replaces a newer version. */
export class ReadModel<T extends Versioned> {
  private readonly byKey = new Map<string, T>();
  private readonly lookups: ReadonlyMap<
    string,
    { keyOf: (value: T) => string | undefined; byKey: Map<string, T> }
  >;

  constructor(private readonly options: ReadModelOptions<T>) {
    this.lookups = new Map(
      Object.entries(options.lookups ?? {}).map(([name, keyOf]) => [name, { keyOf, byKey: new Map() }]),
    );
  }

  get size(): number {
    return this.byKey.size;
  }

  get(key: string): T | undefined {
    return this.byKey.get(key);
  }

  /** @param lookup a name in `lookups` */
  find(lookup: string, key: string): T | undefined {
    const found = this.lookups.get(lookup);
    if (!found) throw new Error(`the read model ${this.options.name} has no lookup ${lookup}`);
    return found.byKey.get(key);
  }

  values(): IterableIterator<T> {
    return this.byKey.values();
  }

  /** Loads the persisted values and returns their number. */
  async load(): Promise<number> {
    for await (const { _id: key, value } of this.options.collection.find()) this.remember(key, value);
    return this.size;
  }

  /** Stores newer values, first in the collection and then in memory, and returns them. */
  async apply(values: readonly T[]): Promise<readonly T[]> {
    const newer = new Map<string, T>();
    for (const value of values) {
      const key = this.options.key(value);
      const known = newer.get(key) ?? this.byKey.get(key);
      if (!known || value.version > known.version) newer.set(key, value);
    }
    if (newer.size === 0) return [];
    await this.keep(newer);
    for (const [key, value] of newer) this.remember(key, value);
    return [...newer.values()];
  }

  /** Applies a snapshot of the owner page by page. Returns the number of newer values. */
  async reconcile(pages: AsyncIterable<readonly T[]>): Promise<number> {
    let count = 0;
    for await (const page of pages) count += (await this.apply(page)).length;
    this.options.log.info('read model reconciled', {
      read_model: this.options.name,
      newer: count,
      size: this.size,
    });
    return count;
  }

  private async keep(newer: ReadonlyMap<string, T>): Promise<void> {
    const { collection } = this.options;
    const operations = [...newer].map(([key, value]) => ({
      updateOne: {
        filter: { _id: key, version: { $lt: value.version } },
        update: { $set: { version: value.version, value } },
        upsert: true,
      },
    })) as unknown as AnyBulkWriteOperation<ReadModelDocument<T>>[];
    // A duplicate key: another process has stored this or a newer version, so the upsert violated the unique _id.
    await duplicatesIn(() => collection.bulkWrite(operations, { ordered: false }));
  }

  private remember(key: string, value: T): void {
    const known = this.byKey.get(key);
    if (known && known.version >= value.version) return;
    this.byKey.set(key, value);
    for (const { keyOf, byKey } of this.lookups.values()) {
      const before = known && keyOf(known);
      const after = keyOf(value);
      // The old key is removed only if it still points to the replaced value; it may already belong to another value.
      if (before !== undefined && before !== after && byKey.get(before) === known) byKey.delete(before);
      if (after !== undefined) byKey.set(after, value);
    }
  }
}
