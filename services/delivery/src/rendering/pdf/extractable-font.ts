import type * as Fontkit from 'fontkit';

const idsMax = 0x10000;

/** A glyph that draws certain characters. */
interface DrawnGlyph extends Fontkit.Glyph {
  /** The glyph's id plus a multiple of `idsMax`. Each text that this glyph draws has its own multiple. */
  readonly number: number;
}

/**
 * Keeps one object for each combination of a glyph and the characters that it draws; the library keeps only one for
 * each glyph.
 */
function drawnGlyphs(font: Fontkit.Font) {
  const getGlyph = font.getGlyph.bind(font);
  const counts = new Map<number, number>();
  const drawn = new Map<string, DrawnGlyph>();
  return (id: number, codePoints: readonly number[] = []): Fontkit.Glyph => {
    if (codePoints.length === 0) return getGlyph(id);
    const key = `${id}:${codePoints.join()}`;
    const known = drawn.get(key);
    if (known) return known;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const glyph = Object.assign(Object.create(getGlyph(id)) as Fontkit.Glyph, { codePoints });
    const numbered = Object.assign(glyph, { number: id + count * idsMax });
    drawn.set(key, numbered);
    return numbered;
  };
}

/** A subset that accepts the numbers of drawn glyphs, and contains one glyph for each number. */
function numberedSubset(subset: Fontkit.Subset): Fontkit.Subset {
  const include = subset.includeGlyph.bind(subset);
  const indexes = new Map<number, number>();
  subset.includeGlyph = (number) => {
    if (number < idsMax) return include(number);
    const index = indexes.get(number) ?? subset.glyphs.push(number % idsMax) - 1;
    indexes.set(number, index);
    return index;
  };
  return subset;
}

/** Turns off the positioning of marks, because the library fails for marks that a font does not position. */
const withoutMarks = { abvm: false, blwm: false, mark: false, mkmk: false };

/** Adjacent glyphs, one for each character. */
function unshaped(font: Fontkit.Font, text: string): Fontkit.GlyphRun {
  const glyphs = font.glyphsForString(text);
  const positions = glyphs.map(({ advanceWidth }) => {
    return { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 };
  });
  const advanceWidth = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
  return { glyphs, positions, advanceWidth };
}

function layout(font: Fontkit.Font, text: string, features: object | undefined): Fontkit.GlyphRun {
  // The library changes the objects passed to it.
  for (const some of [features, { ...features, ...withoutMarks }]) {
    try {
      return font.layout(text, some);
    } catch {
      // Some texts may be drawn badly, but every text is drawn.
    }
  }
  return unshaped(font, text);
}

/**
 * A font whose text can be extracted from a PDF. A PDF states for each glyph which characters it draws, and pdfkit
 * states those for which it first used the glyph. But a font may draw several letters with the same glyph: a Latin and
 * a Greek A, or the Arabic qaf and feh, whose dots are separate glyphs. This font embeds such a glyph once for each
 * letter.
 */
export function extractable(font: Fontkit.Font): Fontkit.Font {
  font.getGlyph = drawnGlyphs(font);
  return Object.assign(Object.create(font) as Fontkit.Font, {
    layout: (text: string, features?: object) => {
      const run = layout(font, text, features);
      run.glyphs.forEach((glyph, at) => {
        const { id, codePoints, advanceWidth } = glyph;
        run.glyphs[at] = { id: (glyph as DrawnGlyph).number ?? id, codePoints, advanceWidth };
      });
      return run;
    },
    createSubset: () => numberedSubset(font.createSubset()),
  });
}
