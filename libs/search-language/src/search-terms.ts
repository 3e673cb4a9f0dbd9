/** The marks that follow a field's code in a search document. None of them occurs in a code. */
export const mark = {
  /** A character that is not part of a word: `in#*`. */
  symbol: '#',
  /** No value of the record is the expected value: `iq&`. */
  unexpected: '&',
  /** No value of the record contains these common symbols: `tr/-`. */
  lacking: '/',
  word: ':',
  /** A record that lacks a field that nearly every record has: `in;`. */
  absent: ';',
  number: '<',
  exact: '=',
  /** A number in a record that does not have the expected value. */
  unexpectedNumber: '>',
  /** A value without words, numbers or an exact value. */
  present: '?',
  /** The words of a text in order, which are not indexed: `in| red shirt `. */
  phrase: '|',
} as const;

/** In ascending order. */
export const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const digitBits = 6n;
/** 11 digits of 6 bits have 2 bits more than a double. */
const digitCount = 11;
const spareBits = 2n;
const signBit = 1n << 63n;
const allBits = (1n << 64n) - 1n;
const bytes = new DataView(new ArrayBuffer(8));

const known = new Map<number, string>();
const knownMax = 5_000;

/**
 * A finite number as a string; the strings sort in the same order as the numbers. Whole numbers with a few digits take
 * three or four characters.
 */
export function sortable(value: number): string {
  let text = known.get(value);
  if (text === undefined) {
    if (known.size >= knownMax) known.clear();
    known.set(value, (text = encoded(value)));
  }
  return text;
}

function encoded(value: number): string {
  bytes.setFloat64(0, value);
  const raw = bytes.getBigUint64(0);
  let bits = ((raw & signBit) === 0n ? raw | signBit : ~raw & allBits) << spareBits;
  const found: string[] = [];
  for (let i = 0; i < digitCount; i++) {
    found.push(digits[Number(bits & ((1n << digitBits) - 1n))]!);
    bits >>= digitBits;
  }
  // Omitting the lowest digit at the end does not change the order.
  return found.reverse().join('').replace(/-+$/, '');
}

const surrogatesFrom = 0xd800;
const surrogatesTo = 0xe000;
const lastCodePoint = 0x10ffff;

/** The smallest string above all strings with this prefix, in the order of UTF-8; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = last.codePointAt(0)! + 1;
    if (next > lastCodePoint) continue;
    const isSurrogate = next >= surrogatesFrom && next < surrogatesTo;
    return characters.join('') + String.fromCodePoint(isSurrogate ? surrogatesTo : next);
  }
  return undefined;
}

/** Compares strings in the order of UTF-8, as MongoDB does. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
