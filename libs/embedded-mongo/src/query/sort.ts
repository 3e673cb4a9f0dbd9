import { MongoError, badValue, failedToParse } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { fieldsOf, type BsonValue } from '../bson/value';
import { KeyMaker } from '../keys/index-keys';
import { KeyWriter } from '../keys/key-writer';
import { pathOf, type Path } from '../keys/path';

export interface SortField {
  readonly path: Path;
  readonly descending: boolean;
}

/** A sort order. */
export interface Sort {
  readonly fields: readonly SortField[];
  /** Derives the sort keys of documents. */
  readonly maker: KeyMaker;
}

const noPrefix = Buffer.alloc(0);
const parallelArrays = 171;

const sortFieldsMax = 32;

/** Parses a sort document. Undefined if it is absent or empty. */
export function parseSort(sort: BsonValue | undefined): Sort | undefined {
  if (sort === undefined || sort.type === BsonType.null) return undefined;
  if (sort.type !== BsonType.object) throw failedToParse(`Expected sort to be an object, got ${print(sort)}`);
  const fields: SortField[] = [];
  for (const [name, v] of fieldsOf(sort)) {
    if (v.type === BsonType.object)
      throw badValue(`Illegal key in $sort specification: ${name}: ${print(v)}`);
    const direction = isNumber(v) ? numberOf(v) : 0;
    if (direction !== 1 && direction !== -1) {
      throw badValue('$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (name === '' || name.split('.').includes(''))
      throw badValue('FieldPath field names may not be empty strings.');
    if (name.startsWith('$'))
      throw badValue(`FieldPath field names may not start with '$', given '${name}'.`);
    fields.push({ path: pathOf(name), descending: direction < 0 });
  }
  if (fields.length > sortFieldsMax) throw badValue(`sort has too many fields, at most ${sortFieldsMax}`);
  return fields.length === 0 ? undefined : { fields, maker: new KeyMaker(noPrefix, fields, Infinity) };
}

const writer = new KeyWriter();

/**
 * The sort key of a document: the smallest of the keys that an index on the same fields would contain. Throws code 2 if
 * several fields have an array on their paths.
 */
export function sortKey(sort: Sort, doc: BsonValue): Buffer {
  writer.reset();
  try {
    const { keys } = sort.maker.keysOf(doc, writer);
    return Buffer.from(keys.reduce((a, b) => (a.compare(b) <= 0 ? a : b)));
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== parallelArrays) throw error;
    throw badValue('cannot sort with keys that are parallel arrays');
  }
}
