/** BSON type bytes (bsonspec.org). Other types are rejected. */
export const BsonType = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binary: 5,
  /** Only in index keys, for the missing element of an empty array. */
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  int: 16,
  long: 18,
  decimal: 19,
} as const;

/**
 * The classes of MongoDB's comparison order: values of different classes compare by class. A value's class is also the
 * first byte of its index key. Classes are therefore 1 to 127, so that 0 can end a sequence of values.
 */
export const CanonicalType = {
  undefined: 3,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  /** Classes from here on can be stored, but not used in filters. */
  regex: 50,
  decimal: 55,
} as const;

const typeTable: readonly [number, number, string][] = [
  [BsonType.double, CanonicalType.number, 'double'],
  [BsonType.string, CanonicalType.string, 'string'],
  [BsonType.object, CanonicalType.object, 'object'],
  [BsonType.array, CanonicalType.array, 'array'],
  [BsonType.binary, CanonicalType.binary, 'binData'],
  [BsonType.undefined, CanonicalType.undefined, 'undefined'],
  [BsonType.objectId, CanonicalType.objectId, 'objectId'],
  [BsonType.bool, CanonicalType.bool, 'bool'],
  [BsonType.date, CanonicalType.date, 'date'],
  [BsonType.null, CanonicalType.null, 'null'],
  [BsonType.regex, CanonicalType.regex, 'regex'],
  [BsonType.int, CanonicalType.number, 'int'],
  [BsonType.long, CanonicalType.number, 'long'],
  [BsonType.decimal, CanonicalType.decimal, 'decimal'],
];

const classOfType = new Uint8Array(256);
const nameOfType: string[] = [];
for (const [type, cls, alias] of typeTable) {
  classOfType[type] = cls;
  nameOfType[type] = alias;
}

export const classOf = (type: number): number => classOfType[type]!;
export const isSearchable = (type: number): boolean => classOf(type) <= CanonicalType.date;
export const typeName = (type: number): string => nameOfType[type] ?? `type ${type}`;
