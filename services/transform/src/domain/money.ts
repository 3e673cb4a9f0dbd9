/**
 * Reads one amount as tills print it. Whatever would be a guess is refused: a text with two numbers, digits in groups of
 * the wrong length, or a hyphen that may or may not be a minus.
 */

/** The maximum length of a printed amount. */
const charactersMax = 100;
/** A double holds every decimal number of so many digits. */
const exactDigitsMax = 15;

/** The zeros of the digits that tills print: Arabic-Indic, Persian, Devanagari, Bengali, Thai and full-width. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = zeros.find((start) => code >= start && code <= start + 9);
  return zero === undefined ? digit : String(code - zero);
}

const characterOf = new Map([
  ...[...'−–—‐‑﹣－'].map((character) => [character, '-'] as const),
  ...[...'’‘＇`´٬'].map((character) => [character, "'"] as const),
  ...[...'\u00a0\u202f\u2009\u2007\u3000\t'].map((character) => [character, ' '] as const),
  ...[...'．٫'].map((character) => [character, '.'] as const),
  ...[...'（﹙'].map((character) => [character, '('] as const),
  ...[...'）﹚'].map((character) => [character, ')'] as const),
  ['，', ','],
  ['￥', '¥'],
  ['＋', '+'],
]);

/** The same text with one character for each sign, separator and digit. */
function plainText(text: string): string {
  return text
    .replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[^\x20-\x7e]/gu, (character) => characterOf.get(character) ?? character);
}

const abbreviations =
  'Rs|Re|kr|Kr|Fr|SFr|sFr|zł|zl|Kč|Kc|Ft|lei|lek|din|Din|KM|лв|дин|ден|руб|грн|р|сум|S/|B/|RM|Rp|TL|円|元|원';
const codes = Intl.supportedValuesOf('currency').join('|');
/** A currency's symbol, code or abbreviation: `€`, `US$`, `EUR`, `Rs.`. */
const currency = String.raw`(?:\p{L}{0,2}\p{Sc}|(?:${codes}|${abbreviations})\.?)`;

/** Digits with separators between them; a leading point or comma counts only if no letter or digit precedes it. */
const number = /(?:(?<![\p{L}\p{N}][.,]?)[.,])?\d(?:[.,' ]?\d)*/gu;
const minusBefore = new RegExp(
  String.raw`(?:^|[^\p{L}])-\s*(?:${currency}\s*)?$|${currency}\s*-\s*$|\p{L}-$`,
  'u',
);
const plusBefore = /(?:^|[\s\p{Sc}])\+\s*$/u;
/** A sign after the amount, which a currency may precede or follow. */
const minusAfter = new RegExp(String.raw`^\s*(?:${currency}\s*)?-(?!-)\s*(?:$|[^-\s])`, 'u');
/** Dashes in place of the decimals: 12.-, 12,-, 12,--. */
const noDecimals = /^[.,]\s?--?(?![-\d])/;
const yen = /¥|円|\bJPY\b|\byen\b/i;
/** Closes an amount in yen, so that nobody can add digits. */
const yenDash = /^\s*-(?!-)/;
/** The hyphen of a label: EC-Karte. */
const labelHyphen = /(?<=\p{L})-(?=\p{L})/gu;
const credit = /(?:^|[^\p{L}])CR(?![\p{L}])/iu;

/** The text after the dash that closes an amount, if there is one. */
function afterClosing(before: string, after: string, isWhole: boolean): string {
  const isYen = isWhole && yen.test(before + after);
  const closing = noDecimals.exec(after) ?? (isYen ? yenDash.exec(after) : null);
  return closing ? after.slice(closing[0].length) : after;
}

/** Whether there is a minus on this side; undefined for a hyphen that cannot be understood. */
function hasMinus(side: string, minus: RegExp): boolean | undefined {
  const text = side.replace(labelHyphen, '');
  return minus.test(text) || (text.includes('-') ? undefined : false);
}

/** @returns undefined if a hyphen or bracket cannot be understood */
function isNegative(before: string, after: string, isWhole: boolean): boolean | undefined {
  const isOpened = /\([^()]*$/.test(before);
  if (isOpened !== /^[^()]*\)/.test(after)) return undefined;
  const leading = hasMinus(before, minusBefore);
  const trailing = hasMinus(afterClosing(before, after, isWhole), minusAfter);
  if (leading === undefined || trailing === undefined) return undefined;
  return leading || trailing || isOpened || credit.test(before) || credit.test(after);
}

/** Groups of three digits, or of two before the last three, as in India. */
function areGroups(groups: readonly string[]): boolean {
  const [first = '', ...rest] = groups;
  const last = rest.at(-1);
  if (last === undefined) return true;
  if (!/^\d{1,3}$/.test(first) || last.length !== 3) return false;
  const middle = rest.slice(0, -1);
  return (
    middle.every(({ length }) => length === 3) ||
    (first.length <= 2 && middle.every(({ length }) => length === 2))
  );
}

/** The separator of the decimals; undefined if the number has none; null if it cannot be read. */
function decimalSeparator(digits: string, given: string | undefined): string | undefined | null {
  const separators = digits.replace(/\d/g, '');
  const last = separators.at(-1);
  if (given !== undefined) {
    const count = [...separators].filter((separator) => separator === given).length;
    return count === 0 ? undefined : count === 1 && last === given ? given : null;
  }
  if (last === undefined || last === ' ' || last === "'") return undefined;
  const isOnly = separators.indexOf(last) === separators.length - 1;
  if (separators.length > 1) return isOnly ? last : undefined;
  return last === ',' && /^[1-9]\d{0,2},\d{3}$/.test(digits) ? undefined : last;
}

/** @returns undefined for digits in groups of the wrong length, or too many for a number to hold */
function valueOf(digits: string, given: string | undefined): number | undefined {
  const decimal = decimalSeparator(digits, given);
  if (decimal === null) return undefined;
  const at = decimal === undefined ? digits.length : digits.lastIndexOf(decimal);
  const whole = digits.slice(0, at);
  const fraction = digits.slice(at + 1);
  const separators = new Set(whole.replace(/\d/g, ''));
  if (separators.size > 1 || !areGroups(whole.split(/[.,' ]/))) return undefined;
  const plain = whole.replace(/\D/g, '');
  const significant = `${plain}${fraction}`.replace(/^0+/, '');
  if (significant.length > exactDigitsMax) return undefined;
  return Number(`${plain === '' ? '0' : plain}.${fraction === '' ? '0' : fraction}`);
}

/** What most tills send, which needs none of the rules for other texts. */
const plainAmount = /^\d{1,13}(?:([.,])\d{1,2})?$/;

/** @returns undefined for a text that is not a plain amount, or has another decimal separator */
function readPlainAmount(text: string, decimal: string | undefined): number | undefined {
  const match = plainAmount.exec(text);
  if (!match) return undefined;
  const [, separator] = match;
  if (separator === ',' && decimal !== '.') return Number(text.replace(',', '.'));
  return separator === undefined || (separator === '.' && decimal !== ',') ? Number(text) : undefined;
}

/**
 * Parses an amount: `1.234,50`, `1,234.50`, `€ 12,50-`, `(3.00)`, `12.50 CR`, `Rs. 250`, `12.-`. If both separators
 * occur, the last separator is the decimal separator. A single comma before exactly three digits separates thousands; a
 * single point is a decimal point.
 * @param decimal the decimal separator, if these rules do not apply
 * @returns undefined for a text that does not contain exactly one amount
 */
export function readMoney(text: string, decimal?: string): number | undefined {
  if (text.length > charactersMax) return undefined;
  const amount = readPlainAmount(text, decimal);
  if (amount !== undefined) return amount;
  const plain = plainText(text);
  const [found, another] = plain.matchAll(number);
  // Other digits, such as superscripts and fractions, have no place value here.
  if (!found || another || /[^\P{N}0-9]/u.test(plain)) return undefined;
  const before = plain.slice(0, found.index);
  const after = plain.slice(found.index + found[0].length);
  const negative = isNegative(before, after, !/[.,]\d{1,2}$/.test(found[0]));
  if (negative === undefined || (negative && plusBefore.test(before))) return undefined;
  const value = valueOf(found[0], decimal === '.' || decimal === ',' ? decimal : undefined);
  return value === undefined ? undefined : negative && value !== 0 ? -value : value;
}
