import { escapePattern } from './phrase-pattern';
import { digits, sortable } from './search-terms';

/** One end of a range of numbers. */
interface End {
  readonly value: number;
  readonly inclusive: boolean;
}

/** Strings of digits: some as a whole, and all that begin with one of `beginnings`. */
interface Numbers {
  readonly whole: readonly string[];
  readonly beginnings: readonly string[];
}

const none: Numbers = { whole: [], beginnings: [] };

const joined = (...parts: readonly Numbers[]): Numbers => ({
  whole: parts.flatMap(({ whole }) => whole),
  beginnings: parts.flatMap(({ beginnings }) => beginnings),
});

/** `text` up to a position, followed by each digit above the first and below the second of these digits. */
const between = (text: string, position: number, above = '', below = '~'): string[] =>
  [...digits].filter((one) => one > above && one < below).map((one) => text.slice(0, position) + one);

const positions = (text: string, from: number): number[] =>
  Array.from({ length: text.length - from }, (_, i) => from + i);

/** The strings above `text` that share its first `shared` digits. */
function above(text: string, shared: number, inclusive: boolean): Numbers {
  const higher = positions(text, shared).flatMap((i) => between(text, i, text[i]));
  return { whole: [], beginnings: [...higher, ...(inclusive ? [text] : between(text, text.length))] };
}

/** The strings below `text` that share its first `shared` digits. */
function below(text: string, shared: number, inclusive: boolean): Numbers {
  const shorter = positions(text, shared).map((i) => text.slice(0, i));
  const beginnings = positions(text, shared).flatMap((i) => between(text, i, '', text[i]));
  return { whole: inclusive ? [...shorter, text] : shorter, beginnings };
}

function numbersBetween(low: End, high: End): Numbers {
  const [from, to] = [sortable(low.value), sortable(high.value)];
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared++;
  if (shared === from.length) {
    const { whole, beginnings } = below(to, shared, high.inclusive);
    return { whole: low.inclusive ? whole : whole.filter((text) => text !== from), beginnings };
  }
  if (low.value >= high.value) return none;
  const inner = { whole: [], beginnings: between(from, shared, from[shared], to[shared]) };
  return joined(above(from, shared + 1, low.inclusive), inner, below(to, shared + 1, high.inclusive));
}

/**
 * The terms of the numbers in a range, for `$in`: as strings, and as patterns of their beginnings, at most about 1,200.
 * MongoDB counts the keys of such a list, whereas for a range of terms, which needs `$elemMatch`, it reads every document.
 * @param start the beginning of all terms of the field
 */
export function termsBetween(
  start: string,
  { low, high }: { readonly low?: End | undefined; readonly high?: End | undefined },
): readonly (string | RegExp)[] {
  const { whole, beginnings } =
    low && high
      ? numbersBetween(low, high)
      : low
        ? above(sortable(low.value), 0, low.inclusive)
        : high
          ? below(sortable(high.value), 0, high.inclusive)
          : { whole: [], beginnings: [''] };
  return [
    ...whole.map((text) => start + text),
    ...beginnings.map((text) => new RegExp(`^${escapePattern(start + text)}`)),
  ];
}
