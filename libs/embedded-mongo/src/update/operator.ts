import { type MongoError, badValue } from '../errors';
import { typeName } from '../bson/types';
import type { BsonValue } from '../bson/value';
import { describeId, type Place } from './place';
import { ArrayTree, type ObjectTree, opened, toVal } from './tree';

export interface ApplyContext {
  readonly root: ObjectTree;
  readonly inserting: boolean;
  readonly now: number;
  /** The path as given, for error messages. */
  readonly path: string;
}

/** Changes one place of a document. */
export interface Operator {
  /** Whether missing documents on the path are created. */
  readonly creates: boolean;
  /** Set for $setOnInsert, which does not change existing documents. */
  readonly insertOnly?: boolean;
  apply(place: Place, context: ApplyContext): void;
}

/** The array at a place, in mutable form; undefined if nothing is there. */
export function arrayAt(place: Place, otherwise: (v: BsonValue) => MongoError): ArrayTree | undefined {
  const current = place.get();
  if (current === undefined) return undefined;
  const o = opened(current);
  if (!(o instanceof ArrayTree)) throw otherwise(toVal(o));
  if (o !== current) place.set(o);
  return o;
}

export const mustBeArray =
  (path: string, context: ApplyContext) =>
  (v: BsonValue): MongoError =>
    badValue(
      `The field '${path}' must be an array but is of type ${typeName(v.type)} in document ${describeId(context.root)}`,
    );
