import { EJSON, deserialize } from 'bson';
import type { BsonValue } from './value';
import { DocumentWriter } from './write';

const printedCharsMax = 4_000;

/** A value for an error message, as extended JSON. */
export function print(v: BsonValue): string {
  const holder = deserialize(new DocumentWriter().value('v', v).finish(), { validation: { utf8: false } });
  const text = EJSON.stringify(holder['v']);
  return text.length > printedCharsMax ? `${text.slice(0, printedCharsMax)}...` : text;
}
