import { numberOf } from './number';
import { BsonType, typeName } from './types';
import { FieldReader, boolOf, dateOf, stringOf, type BsonValue } from './value';

const printedCharsMax = 4_000;

/** A value as MongoDB prints it in error messages, such as `{ a: "x", b: 1 }`. */
export function print(v: BsonValue | undefined): string {
  const text = v === undefined ? 'null' : printed(v);
  return text.length > printedCharsMax ? `${text.slice(0, printedCharsMax)}...` : text;
}

function printed(v: BsonValue): string {
  switch (v.type) {
    case BsonType.string:
      return JSON.stringify(stringOf(v));
    case BsonType.double: {
      const x = numberOf(v);
      return Number.isInteger(x) && Math.abs(x) < 1e21 ? x.toFixed(1) : String(x).replace('Infinity', 'inf');
    }
    case BsonType.int:
      return String(numberOf(v));
    case BsonType.long:
      return String(v.bytes.readBigInt64LE(v.start));
    case BsonType.bool:
      return String(boolOf(v));
    case BsonType.date:
      return `new Date(${dateOf(v)})`;
    case BsonType.objectId:
      return `ObjectId('${v.bytes.toString('hex', v.start, v.end)}')`;
    case BsonType.object:
      return printFields(v, true);
    case BsonType.array:
      return printFields(v, false);
    case BsonType.null:
      return 'null';
    default:
      return `<${typeName(v.type)}>`;
  }
}

function printFields(v: BsonValue, named: boolean): string {
  const parts: string[] = [];
  const r = new FieldReader(v);
  while (r.next()) parts.push(named ? `${r.name}: ${print(r.value)}` : print(r.value));
  if (named) return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  return parts.length === 0 ? '[]' : `[ ${parts.join(', ')} ]`;
}
