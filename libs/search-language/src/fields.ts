/**
 * How the values of a field are compared. `partial` and `prefix` are texts, split into words; `exact` compares whole
 * strings.
 */
export type FieldType = 'partial' | 'prefix' | 'exact' | 'exists' | 'integer' | 'float' | 'date';

/** A record to be searched, in the form returned by the API: snake_case, parsed JSON. */
export type SearchableRecord = Readonly<Record<string, unknown>>;

/** A field that queries may use. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  /**
   * Represents the path in search documents. If it changes, all stored records must be reindexed. Codes have two
   * letters, so that none is a prefix of another; codes of dynamic fields start with a letter and a dot.
   */
  readonly code: string;
  /**
   * True for a number or date with a single value per record. It is stored under its code with a separate index, so
   * that conditions on it are counted quickly.
   */
  readonly single?: boolean;
  /**
   * The most common value. Only records with another value get a term for this field, so the common case costs no index
   * keys.
   */
  readonly expected?: number;
  /** True if nearly every record has a value. Only records without a value get a term that says so. */
  readonly usual?: boolean;
  /** Characters that most texts of the field contain. Only texts without them get a term that says so. */
  readonly commonSymbols?: string;
  /** The code of numbers with a fraction, if an integer and a float field share their values. */
  readonly fractions?: string;
  /** True if each text has an exact term in addition to those of its words. */
  readonly whole?: boolean;
  /** The field of the owner's documents that holds the value, if it has its own index. */
  readonly column?: Column;
  /**
   * The object that contains the values: the record, or each of its items. An item condition matches if any item does.
   */
  readonly level: 'record' | 'item';
  /**
   * Set for fields that are not allowed if the caller is restricted to consumers. The error uses this value to refer to
   * the field.
   */
  readonly refusedWithConsumer?: string;
  /** Reads the value from its holder. An array has several values; null and undefined have none. */
  readonly read: (holder: SearchableRecord) => unknown;
}

/** A string of the owner's documents, with an index, that represents a field's value. */
export interface Column {
  readonly path: string;
  /** The lowest string of the field's values, and the end of their range; undefined if all strings are values. */
  readonly from: string;
  readonly to?: string;
  /** The string of a number, in the order of numbers. */
  readonly of?: (value: number) => string;
}

/** The fields of a kind of record, by path. */
export type FieldCatalogue = ReadonlyMap<string, Field>;

/** The types of dynamic fields, which retailers define. */
export type DynamicFieldType = 'exact' | 'partial' | 'integer' | 'float' | 'date';

export const isText = (type: FieldType): boolean => type === 'partial' || type === 'prefix';
export const isNumeric = (type: FieldType): boolean =>
  type === 'integer' || type === 'float' || type === 'date';

export function catalogueOf(fields: readonly Field[]): FieldCatalogue {
  return new Map(fields.map((field) => [field.path, field]));
}

/**
 * The value at a path through plain objects; undefined if the path does not exist. Only own properties count, so that
 * nothing is read from a prototype.
 */
export function reach(value: unknown, path: readonly string[]): unknown {
  let reached = value;
  for (const key of path) {
    if (!isObject(reached) || !Object.hasOwn(reached, key)) return undefined;
    reached = reached[key];
  }
  return reached;
}

/** The elements of an array, flattened at all levels, or the value itself. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.some(Array.isArray) ? (value.flat(Infinity) as unknown[]) : value;
}

/** The holders of item fields. */
export const itemsOf = (record: SearchableRecord): readonly SearchableRecord[] =>
  elementsOf(record['items']).filter(isObject);

/** The values of a field in a record, one per holder. */
export function valuesOf(field: Field, record: SearchableRecord): readonly unknown[] {
  return field.level === 'item' ? itemsOf(record).map(field.read) : [field.read(record)];
}

/**
 * True if a value exists in the sense of Elasticsearch: it is not null; an array must have an existing element, an
 * object an existing leaf. The empty string exists.
 */
export function isPresent(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (Array.isArray(value)) return value.some(isPresent);
  return isObject(value) ? Object.values(value).some(isPresent) : true;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
