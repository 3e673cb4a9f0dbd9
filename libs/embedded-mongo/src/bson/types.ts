/** BSON type bytes (bsonspec.org). */
export const T = {
  DOUBLE: 1,
  STRING: 2,
  OBJECT: 3,
  ARRAY: 4,
  BINARY: 5,
  UNDEFINED: 6,
  OBJECT_ID: 7,
  BOOL: 8,
  DATE: 9,
  NULL: 10,
  REGEX: 11,
  DB_POINTER: 12,
  CODE: 13,
  SYMBOL: 14,
  CODE_WITH_SCOPE: 15,
  INT: 16,
  TIMESTAMP: 17,
  LONG: 18,
  DECIMAL: 19,
  MAX_KEY: 127,
  MIN_KEY: 255,
} as const;

/**
 * The classes of MongoDB's comparison order: values of different classes compare by class. A value's class is also the
 * first byte of its index key. Classes are therefore 1 to 127, so that 0 can end a sequence of values.
 */
export const CLASS = {
  MIN_KEY: 1,
  UNDEFINED: 3,
  NULL: 5,
  NUMBER: 10,
  STRING: 15,
  OBJECT: 20,
  ARRAY: 25,
  BINARY: 30,
  OBJECT_ID: 35,
  BOOL: 40,
  DATE: 45,
  TIMESTAMP: 47,
  REGEX: 50,
  DB_POINTER: 55,
  CODE: 60,
  CODE_WITH_SCOPE: 65,
  MAX_KEY: 127,
} as const;

const CLASSES: readonly [number, number, string][] = [
  [T.DOUBLE, CLASS.NUMBER, 'double'],
  [T.STRING, CLASS.STRING, 'string'],
  [T.OBJECT, CLASS.OBJECT, 'object'],
  [T.ARRAY, CLASS.ARRAY, 'array'],
  [T.BINARY, CLASS.BINARY, 'binData'],
  [T.UNDEFINED, CLASS.UNDEFINED, 'undefined'],
  [T.OBJECT_ID, CLASS.OBJECT_ID, 'objectId'],
  [T.BOOL, CLASS.BOOL, 'bool'],
  [T.DATE, CLASS.DATE, 'date'],
  [T.NULL, CLASS.NULL, 'null'],
  [T.REGEX, CLASS.REGEX, 'regex'],
  [T.DB_POINTER, CLASS.DB_POINTER, 'dbPointer'],
  [T.CODE, CLASS.CODE, 'javascript'],
  [T.SYMBOL, CLASS.STRING, 'symbol'],
  [T.CODE_WITH_SCOPE, CLASS.CODE_WITH_SCOPE, 'javascriptWithScope'],
  [T.INT, CLASS.NUMBER, 'int'],
  [T.TIMESTAMP, CLASS.TIMESTAMP, 'timestamp'],
  [T.LONG, CLASS.NUMBER, 'long'],
  [T.DECIMAL, CLASS.NUMBER, 'decimal'],
  [T.MAX_KEY, CLASS.MAX_KEY, 'maxKey'],
  [T.MIN_KEY, CLASS.MIN_KEY, 'minKey'],
];

const classOfType = new Uint8Array(256);
const nameOfType: string[] = [];
/** The aliases of `$type`, with their type bytes. */
export const TYPE_BY_ALIAS: ReadonlyMap<string, number> = new Map(
  CLASSES.map(([type, , alias]) => [alias, type]),
);
for (const [type, cls, alias] of CLASSES) {
  classOfType[type] = cls;
  nameOfType[type] = alias;
}

export const classOf = (type: number): number => classOfType[type]!;
export const typeName = (type: number): string => nameOfType[type] ?? `type ${type}`;
