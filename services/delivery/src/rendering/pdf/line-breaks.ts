type Fits = (line: string) => boolean;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first guesses for the length of a line. Later guesses use the length of the previous line. */
const charactersGuess = 32;
const wordsGuess = 6;

/**
 * The largest count that fits, or 0. The cost of measuring is proportional to the length of the text, so the search
 * starts at a guess, moves away from it in growing steps, and then bisects the remaining range.
 */
function longestFit(countMax: number, guess: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = countMax + 1;
  let count = Math.min(guess, countMax);
  for (let step = 1; high - low > 1; step *= 2) {
    if (fits(count)) low = count;
    else high = count;
    if (low === 0) count = Math.max(1, high - step);
    else if (high > countMax) count = Math.min(countMax, low + step);
    else count = Math.floor((low + high) / 2);
  }
  return low;
}

/** Splits a word into user-perceived characters. A line has at least one of them, even if it is too wide. */
function* cut(word: string, fits: Fits): Generator<string, void> {
  const characters = Array.from(graphemes.segment(word), ({ segment }) => segment);
  let count = charactersGuess;
  for (let at = 0; at < characters.length; at += count) {
    const from = at;
    const first = (some: number) => characters.slice(from, from + some).join('');
    const most = longestFit(characters.length - at, count, (some) => fits(first(some)));
    count = Math.max(1, most);
    yield first(count);
  }
}

/** Breaks a text into lines between words, and inside a word that is wider than a line. */
export function* linesOf(text: string, fits: Fits): Generator<string, void> {
  const words = text.split(' ');
  let guess = wordsGuess;
  for (let at = 0; at < words.length;) {
    const from = at;
    const first = (some: number) => words.slice(from, from + some).join(' ');
    const count = longestFit(words.length - at, guess, (some) => fits(first(some)));
    if (count > 0) {
      yield first(count);
      at += count;
      guess = count;
      continue;
    }
    // The rest of a broken word shares its line with the following words.
    let left = '';
    for (const part of cut(words[at] ?? '', fits)) {
      if (left !== '') yield left;
      left = part;
    }
    if (fits(left)) words[at] = left;
    else {
      yield left;
      at++;
    }
  }
}
