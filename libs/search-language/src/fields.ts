/** How a field compares. `partial` and `prefix` are texts, cut into words; `exact` is the whole string. */
export type FieldType = 'partial' | 'prefix' | 'exact' | 'exists' | 'integer' | 'float' | 'date';

/** A thing that is searched, as it is returned to its owner: snake_case, parsed JSON. */
export type SearchableRecord = Readonly<Record<string, unknown>>;

/** One field that a query may name. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  /**
   * What stands for the path in the index; a change of it makes every stored record stale. Two letters, so that none
   * is the beginning of another; those of dynamic fields begin with a letter and a dot.
   */
  readonly code: string;
  /** False: its values are too common to be worth an index key, they are only compared in the document. */
  readonly indexed: boolean;
  /** True: a number or date of which a record has one, kept under its code with an index of its own, so that it is counted quickly. */
  readonly single?: boolean;
  /** What holds the values: the record, or each of its items, and then a condition holds when it does for one of them. */
  readonly level: 'record' | 'item';
  /** Refused, under this name, where the caller is confined to consumers anyway. */
  readonly refusedWithConsumer?: string;
  /** The value as it stands in the holder. An array is several values; null and undefined are none. */
  readonly read: (holder: SearchableRecord) => unknown;
}

/** The fields of one kind of record, by path. */
export type FieldCatalogue = ReadonlyMap<string, Field>;

/** Types that a retailer may give to dynamic fields of its own. */
export type DynamicFieldType = 'exact' | 'partial' | 'integer' | 'float' | 'date';

export const isText = (type: FieldType): boolean => type === 'partial' || type === 'prefix';
export const isNumeric = (type: FieldType): boolean =>
  type === 'integer' || type === 'float' || type === 'date';

export function catalogueOf(fields: readonly Field[]): FieldCatalogue {
  return new Map(fields.map((field) => [field.path, field]));
}

/** Walks down plain objects. Undefined when the way ends early. Own members only: nothing comes from a prototype. */
export function reach(value: unknown, path: readonly string[]): unknown {
  let reached = value;
  for (const key of path) {
    if (!isObject(reached) || !Object.hasOwn(reached, key)) return undefined;
    reached = reached[key];
  }
  return reached;
}

/** The elements of an array, however deep arrays are nested in it, or the value itself. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.some(Array.isArray) ? (value.flat(Infinity) as unknown[]) : value;
}

/** Whatever holds values of item fields. */
export const itemsOf = (record: SearchableRecord): readonly SearchableRecord[] =>
  elementsOf(record['items']).filter(isObject);

/** Every value of a field in a record: one for each holder. */
export function valuesOf(field: Field, record: SearchableRecord): readonly unknown[] {
  return field.level === 'item' ? itemsOf(record).map(field.read) : [field.read(record)];
}

/**
 * Whether a value is there at all, by Elasticsearch's meaning of "exists": not null; an array needs an element that is
 * there, an object a leaf. The empty string is there.
 */
export function isPresent(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (Array.isArray(value)) return value.some(isPresent);
  return isObject(value) ? Object.values(value).some(isPresent) : true;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
