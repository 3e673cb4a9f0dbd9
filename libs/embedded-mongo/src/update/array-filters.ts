import { badValue, failedToParse, typeMismatch } from '../errors';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { objectOf } from '../bson/write';
import { elementsOf, fieldsOf, type BsonValue } from '../bson/value';
import { compileFilter, type Matcher } from '../query/match';
import { parseFilter } from '../query/parse';

/** The filters of `$[identifier]`. */
export class ArrayFilters {
  constructor(private readonly filters: ReadonlyMap<string, Matcher>) {}

  matches(identifier: string, element: BsonValue): boolean {
    return this.filters.get(identifier)!(objectOf([[identifier, element]]));
  }

  /** Throws unless every identifier has a filter and every filter is used. */
  checkUse(paths: readonly string[], update: BsonValue): void {
    const used = new Set<string>();
    for (const path of paths) {
      for (const m of path.matchAll(/\$\[([^\]]+)\]/g)) {
        used.add(m[1]!);
        if (!this.filters.has(m[1]!))
          throw badValue(`No array filter found for identifier '${m[1]!}' in path '${path}'`);
      }
    }
    for (const identifier of this.filters.keys()) {
      if (!used.has(identifier)) {
        throw failedToParse(
          `The array filter for identifier '${identifier}' was not used in the update ${print(update)}`,
        );
      }
    }
  }
}

export function parseArrayFilters(v: BsonValue | undefined): ArrayFilters {
  const filters = new Map<string, Matcher>();
  if (v !== undefined && v.type !== BsonType.array) throw typeMismatch('arrayFilters must be an array');
  for (const filter of v === undefined ? [] : elementsOf(v)) {
    if (filter.type !== BsonType.object) throw typeMismatch('each array filter must be an object');
    const identifiers = new Set(identifiersOf(filter));
    if (identifiers.size === 0)
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    if (identifiers.size > 1) {
      throw failedToParse(
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${[...identifiers].join("' and '")}'`,
      );
    }
    const [identifier] = identifiers as Set<string> & Iterable<string>;
    if (!/^[a-z][A-Za-z0-9]*$/.test(identifier!)) {
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier!}'`,
      );
    }
    if (filters.has(identifier!)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier!}`);
    }
    filters.set(identifier!, compileFilter(parseFilter(filter)));
  }
  return new ArrayFilters(filters);
}

function identifiersOf(filter: BsonValue): string[] {
  return fieldsOf(filter).flatMap(([name, v]) =>
    name.startsWith('$') && v.type === BsonType.array
      ? elementsOf(v).flatMap(identifiersOf)
      : [name.split('.')[0]!],
  );
}
