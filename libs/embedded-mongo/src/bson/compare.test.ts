import fc from 'fast-check';
import { Binary, Double, Int32, Long, ObjectId } from 'bson';
import { encodeValue } from '../keys/key-writer';
import { val } from '../testing/documents';
import { compare } from './compare';

const oid = (n: number): ObjectId => new ObjectId(n.toString(16).padStart(24, '0'));

/** Values in ascending order. The values on one line are equal. */
const order: unknown[][] = [
  [null],
  [NaN],
  [-Infinity],
  [-1.5e300],
  [Long.fromString('-9223372036854775808'), -9223372036854775808],
  [Long.fromString('-9223372036854775807')],
  [Long.fromString('-9007199254740993')],
  [Long.fromString('-9007199254740992'), -9007199254740992],
  [-1.5],
  [new Int32(-1), Long.fromNumber(-1), new Double(-1)],
  [0, new Double(-0), Long.ZERO],
  [5e-324],
  [0.1],
  [1, Long.fromNumber(1)],
  [1.5],
  [2 ** 53, Long.fromString('9007199254740992')],
  [Long.fromString('9007199254740993')],
  [Long.fromString('9007199254740994'), 9007199254740994],
  [Long.fromString('9223372036854775806')],
  [Long.fromString('9223372036854775807')],
  [9223372036854775808],
  [1e300],
  [Infinity],
  [''],
  ['\0'],
  ['\0a'],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['aa'],
  ['b'],
  ['z'],
  ['é'],
  ['\u{1f600}'],
  [{}],
  [{ a: 1 }],
  [{ a: 1, b: 1 }],
  [{ a: 2 }],
  [{ b: 0 }],
  [{ a: 'x' }],
  [[]],
  [[1]],
  [[1, 2]],
  [[2]],
  [['a']],
  [new Binary(Buffer.from([9]))],
  [new Binary(Buffer.from([0, 0]))],
  [new Binary(Buffer.from([0, 0]), 5)],
  [oid(1)],
  [oid(2)],
  [false],
  [true],
  [new Date(-5)],
  [new Date(0)],
  [new Date(5)],
];

describe('the order of values', () => {
  const flat = order.flatMap((line, rank) => line.map((v) => ({ rank, v: val(v) })));

  test('compare() follows the table for every pair', () => {
    const wrong: string[] = [];
    for (const a of flat) {
      for (const b of flat) {
        if (Math.sign(compare(a.v, b.v)) !== Math.sign(a.rank - b.rank))
          wrong.push(`${a.rank} against ${b.rank}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('index keys follow the same table', () => {
    const wrong: string[] = [];
    for (const a of flat) {
      for (const b of flat) {
        const c = encodeValue(a.v).compare(encodeValue(b.v));
        if (Math.sign(c) !== Math.sign(a.rank - b.rank)) wrong.push(`${a.rank} against ${b.rank}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  const number = fc.oneof(
    fc.double(),
    fc.integer().map((n) => new Int32(n)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  );
  const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      number,
      fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '\u{1f600}'), maxLength: 4 }),
      fc.constantFrom(null, true, false, new Date(0), new Date(-1), oid(1), oid(2)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;

  test('keys and compare() agree on any two values', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const x = val(a);
        const y = val(b);
        return Math.sign(compare(x, y)) === Math.sign(encodeValue(x).compare(encodeValue(y)));
      }),
      { numRuns: 3_000 },
    );
  });
});
