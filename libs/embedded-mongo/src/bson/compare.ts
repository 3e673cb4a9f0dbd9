import { compareNumbers } from './number';
import { CanonicalType, classOf } from './types';
import { FieldReader, i32, type BsonValue } from './value';

const compareRanges = (a: BsonValue, b: BsonValue, skip: number, cut: number): number =>
  a.bytes.compare(b.bytes, b.start + skip, b.end - cut, a.start + skip, a.end - cut);

/** MongoDB's comparison order of two values: below 0, 0 or above 0. */
export function compare(a: BsonValue, b: BsonValue): number {
  const cls = classOf(a.type);
  const other = classOf(b.type);
  if (cls !== other) return cls - other;
  switch (cls) {
    case CanonicalType.number:
      return compareNumbers(a, b);
    case CanonicalType.string:
      return compareRanges(a, b, 4, 1);
    case CanonicalType.object:
    case CanonicalType.array:
      return compareFields(a, b, cls === CanonicalType.object);
    case CanonicalType.binary:
      return i32(a.bytes, a.start) - i32(b.bytes, b.start) || compareRanges(a, b, 4, 0);
    case CanonicalType.bool:
      return a.bytes[a.start]! - b.bytes[b.start]!;
    case CanonicalType.date:
      return signOf(a.bytes.readBigInt64LE(a.start), b.bytes.readBigInt64LE(b.start));
    default:
      return compareRanges(a, b, 0, 0);
  }
}

const signOf = (x: bigint, y: bigint): number => (x < y ? -1 : x > y ? 1 : 0);

/** Compares field by field: type class, then name (in objects), then value. A proper prefix sorts first. */
function compareFields(a: BsonValue, b: BsonValue, named: boolean): number {
  const x = new FieldReader(a);
  const y = new FieldReader(b);
  for (;;) {
    const more = x.next();
    if (more !== y.next()) return more ? 1 : -1;
    if (!more) return 0;
    const byClass = classOf(x.type) - classOf(y.type);
    if (byClass !== 0) return byClass;
    if (named) {
      const byName = x.nameBytes.compare(y.nameBytes);
      if (byName !== 0) return byName;
    }
    const byValue = compare(x.value, y.value);
    if (byValue !== 0) return byValue;
  }
}

export const equal = (a: BsonValue, b: BsonValue): boolean => compare(a, b) === 0;
