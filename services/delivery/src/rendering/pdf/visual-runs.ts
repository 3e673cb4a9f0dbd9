import bidiFactory from 'bidi-js';
import type { FontChoice } from './font-choice';
import type { FontName } from './font-files';

const bidi = bidiFactory();
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A part of a line that is drawn in one piece, with one font and direction. */
export interface Run {
  readonly text: string;
  readonly font: FontName;
  /** The text that the glyphs represent, if it cannot be derived from them. */
  readonly actual?: string;
}

/** Graphemes of one level and one font. */
interface Piece {
  readonly drawn: string[];
  readonly given: string[];
  readonly level: number;
  readonly font: FontName;
}

const isOdd = (level: number) => level % 2 === 1;

function piecesOf(text: string, levels: Uint8Array, fonts: FontChoice): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const level = levels[index] ?? 0;
    const last = pieces.at(-1);
    const { text: drawn, font } = fonts.of(segment, last?.level === level ? last.font : undefined);
    const mirrored = isOdd(level) ? (bidi.getMirroredCharacter(drawn) ?? drawn) : drawn;
    if (last && last.level === level && last.font === font) {
      last.drawn.push(mirrored);
      last.given.push(segment);
    } else pieces.push({ drawn: [mirrored], given: [segment], level, font });
  }
  return pieces;
}

/** A line is reordered from the highest level down (UAX #9, rule L2). */
function reorder(pieces: readonly Piece[]): Piece[] {
  const ordered = [...pieces];
  const highest = Math.max(0, ...pieces.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    let begin = -1;
    for (let i = 0; i <= ordered.length; i++) {
      const isInside = i < ordered.length && (ordered[i] as Piece).level >= level;
      if (isInside && begin < 0) begin = i;
      if (isInside || begin < 0) continue;
      ordered.splice(begin, i - begin, ...ordered.slice(begin, i).reverse());
      begin = -1;
    }
  }
  return ordered;
}

/** Fonts that join, reorder or stack letters, so that glyphs do not follow the letters one by one. */
const joining: ReadonlySet<FontName> = new Set([
  'bengali',
  'devanagari',
  'gujarati',
  'gurmukhi',
  'kannada',
  'khmer',
  'lao',
  'malayalam',
  'myanmar',
  'oriya',
  'sinhala',
  'tamil',
  'telugu',
  'thai',
]);

function run(font: FontName, drawn: string, given: string): Run {
  const isPlain = drawn === given && !joining.has(font);
  return isPlain ? { text: drawn, font } : { text: drawn, font, actual: given };
}

/** Marks punctuation next to right-to-left letters as part of the right-to-left text. */
const rightToLeftMark = '\u200f';
const punctuation = /\p{P}/u;

const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thaana}]/u;

/**
 * From left to right. pdfkit draws a word with a right-to-left letter from right to left. It shapes a word together with
 * the following space, which would then appear on the wrong side, so each space is a separate run.
 */
function rightToLeftRuns({ drawn, given, font }: Piece): Run[] {
  const runs: Run[] = [];
  let word = '';
  const endWord = () => {
    if (word !== '') runs.push({ text: word, font });
    word = '';
  };
  drawn.forEach((grapheme, at) => {
    if (rightToLeftLetter.test(grapheme) || (word !== '' && !/\s/.test(grapheme))) word += grapheme;
    else {
      endWord();
      const actual = `${rightToLeftMark}${given[at] ?? ''}`;
      runs.push({ text: grapheme, font, ...(punctuation.test(grapheme) && { actual }) });
    }
  });
  endWord();
  return runs.reverse();
}

const arabicSign = /[\u0600-\u06ff]/;

/** pdfkit also draws the digits of an Arabic number from right to left, so each of them is a separate run. */
function leftToRightRuns({ drawn, given, font }: Piece): Run[] {
  if (!drawn.some((grapheme) => arabicSign.test(grapheme))) {
    return [run(font, drawn.join(''), given.join(''))];
  }
  return drawn.map((grapheme, at) => run(font, grapheme, given[at] ?? ''));
}

/** Text that the Latin font draws from left to right as a single run, as is the case for most texts. */
const leftToRight =
  /^[\u0020-\u007e\u00a0-\u0377\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03e1\u03f0-\u052f\u1e00-\u1eff\u2010-\u2027\u20a0-\u20bf\u202f\u2212]+$/;

/**
 * The runs of one line from left to right (Unicode Bidirectional Algorithm, UAX #9). The first letter determines the base
 * direction.
 */
export function visualRuns(text: string, fonts: FontChoice): readonly Run[] {
  if (text === '') return [];
  if (leftToRight.test(text)) return [{ text, font: 'latin' }];
  const { levels } = bidi.getEmbeddingLevels(text, 'auto');
  const runs = reorder(piecesOf(text, levels, fonts)).flatMap((piece) =>
    isOdd(piece.level) ? rightToLeftRuns(piece) : leftToRightRuns(piece),
  );
  return runs.filter((one) => one.text !== '');
}
