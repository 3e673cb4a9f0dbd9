import bidiFactory from 'bidi-js';
import { fontOf, type FontName } from './fonts';

const bidi = bidiFactory();

/** A part of a line that is drawn at once, with one font and direction. */
export interface Run {
  readonly text: string;
  readonly font: FontName;
}

interface Piece {
  readonly text: string;
  readonly level: number;
  readonly font: FontName;
}

const isOdd = (level: number) => level % 2 === 1;

/** Spaces and marks use the font of the letter before them; digits and signs use the Latin font. */
function fontFor(character: string, before: FontName | undefined): FontName {
  if (/[\s\p{M}]/u.test(character)) return before ?? 'latin';
  return fontOf(character) ?? 'latin';
}

function piecesOf(text: string, levels: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const character of text) {
    const level = levels[at] ?? 0;
    const last = pieces.at(-1);
    const font = fontFor(character, last?.level === level ? last.font : undefined);
    const mirrored = isOdd(level) ? (bidi.getMirroredCharacter(character) ?? character) : character;
    if (last && last.level === level && last.font === font) {
      pieces[pieces.length - 1] = { ...last, text: last.text + mirrored };
    } else pieces.push({ text: mirrored, level, font });
    at += character.length;
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

/** Greek, Latin and Cyrillic letters, digits, signs and currencies: one run, which most texts are. */
const leftToRight = /^[\u0020-\u058f\u1e00-\u1fff\u2010-\u2027\u20a0-\u20bf\u202f]+$/;

/**
 * The runs of one line from left to right (Unicode Bidirectional Algorithm, UAX #9); the first letter determines the base
 * direction. In right-to-left runs each word and each space is a run of its own, because pdfkit shapes a word together
 * with the following space, which would then appear on the wrong side.
 */
export function visualRuns(text: string): readonly Run[] {
  if (text === '') return [];
  if (leftToRight.test(text)) return [{ text, font: 'latin' }];
  const { levels } = bidi.getEmbeddingLevels(text, 'auto');
  return reorder(piecesOf(text, levels)).flatMap(({ text: piece, level, font }) =>
    isOdd(level)
      ? piece
          .split(/(\s)/)
          .reverse()
          .flatMap((word) => (word === '' ? [] : [{ text: word, font }]))
      : [{ text: piece, font }],
  );
}
