import { decimalText } from './decimal';
import { numberOf } from './number';
import { T } from './types';
import { FieldReader, boolOf, dateOf, regexOf, stringOf, type Val } from './value';

const PRINTED_CHARS_MAX = 4_000;

/** A value as MongoDB prints it in error messages, such as `{ a: "x", b: 1 }`. */
export function print(v: Val | undefined): string {
  const text = v === undefined ? 'null' : printed(v);
  return text.length > PRINTED_CHARS_MAX ? `${text.slice(0, PRINTED_CHARS_MAX)}...` : text;
}

function printed(v: Val): string {
  switch (v.type) {
    case T.STRING:
    case T.SYMBOL:
      return JSON.stringify(stringOf(v));
    case T.DOUBLE: {
      const x = numberOf(v);
      return Number.isInteger(x) && Math.abs(x) < 1e21 ? x.toFixed(1) : String(x).replace('Infinity', 'inf');
    }
    case T.INT:
      return String(numberOf(v));
    case T.LONG:
      return String(v.bytes.readBigInt64LE(v.start));
    case T.DECIMAL:
      return decimalText(v);
    case T.BOOL:
      return String(boolOf(v));
    case T.DATE:
      return `new Date(${dateOf(v)})`;
    case T.OBJECT_ID:
      return `ObjectId('${v.bytes.toString('hex', v.start, v.end)}')`;
    case T.OBJECT:
      return printFields(v, true);
    case T.ARRAY:
      return printFields(v, false);
    case T.REGEX: {
      const { pattern, options } = regexOf(v);
      return `/${pattern}/${options}`;
    }
    case T.BINARY:
      return `BinData(${v.bytes[v.start + 4]}, ${v.bytes.toString('hex', v.start + 5, v.end).toUpperCase()})`;
    case T.TIMESTAMP:
      return `Timestamp(${v.bytes.readUInt32LE(v.start + 4)}, ${v.bytes.readUInt32LE(v.start)})`;
    case T.MIN_KEY:
      return 'MinKey';
    case T.MAX_KEY:
      return 'MaxKey';
    case T.UNDEFINED:
      return 'undefined';
    default:
      return 'null';
  }
}

function printFields(v: Val, named: boolean): string {
  const parts: string[] = [];
  const r = new FieldReader(v);
  while (r.next()) parts.push(named ? `${r.name}: ${print(r.value)}` : print(r.value));
  if (named) return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  return parts.length === 0 ? '[]' : `[ ${parts.join(', ')} ]`;
}
