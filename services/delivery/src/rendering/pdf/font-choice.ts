import { scriptFonts, type FontName } from './font-files';
import type { Fonts } from './fonts';

/** Chinese characters and the punctuation of East Asia are in several fonts, so they are not listed here. */
const patterns: readonly (readonly [RegExp, FontName])[] = [
  ...scriptFonts.map(
    ([script, font]) => [new RegExp(`\\p{Script_Extensions=${script}}`, 'u'), font] as const,
  ),
  // The Thai currency sign does not belong to a script.
  [/\u0e3f/, 'thai'],
  [/\p{Script=Hangul}/u, 'korean'],
  [/\p{Script=Hiragana}|\p{Script=Katakana}|\u30fc/u, 'japanese'],
];

const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;
const eastAsian: readonly FontName[] = ['simplified', 'traditional', 'japanese', 'korean'];
const eastAsianByScript: Readonly<Record<string, FontName>> = {
  Hans: 'simplified',
  Hant: 'traditional',
  Jpan: 'japanese',
  Kore: 'korean',
};

/** Spaces, marks and the dandas of Indic scripts use the font of the letters before them. */
const dependent = /^[\s\p{M}\u0964\u0965]/u;

/**
 * Characters that may be omitted if a font lacks them: first those that affect how others are drawn, such as joiners,
 * then marks.
 */
const dispensable = [
  /\p{Default_Ignorable_Code_Point}/gu,
  /\p{Default_Ignorable_Code_Point}|\p{M}/gu,
] as const;

/** How a grapheme is drawn. */
export interface Drawn {
  /** Differs from the grapheme if it contains characters that no font has. */
  readonly text: string;
  readonly font: FontName;
}

const replacement = '\ufffd';
const cachedCharactersMax = 8;

/** Chooses a font for each grapheme of a document. */
export class FontChoice {
  private readonly eastAsian: readonly FontName[];
  private readonly chosen = new Map<string, Drawn>();

  /** @param locales the first East Asian one determines the shape of Chinese characters */
  constructor(
    private readonly fonts: Pick<Fonts, 'hasGlyph'>,
    locales: readonly string[],
  ) {
    const preferred = locales.flatMap(
      (locale) => eastAsianByScript[new Intl.Locale(locale).maximize().script ?? ''] ?? [],
    );
    this.eastAsian = [...new Set([...preferred, ...eastAsian])];
  }

  /** @param before the font of the preceding text */
  of(grapheme: string, before: FontName = 'latin'): Drawn {
    if (before !== 'emoji' && dependent.test(grapheme)) {
      const text = this.drawable(grapheme, before, dispensable[0]);
      if (text !== undefined) return { text, font: before };
    }
    const known = this.chosen.get(grapheme);
    if (known) return known;
    const chosen = this.choose(grapheme);
    if (grapheme.length <= cachedCharactersMax) this.chosen.set(grapheme, chosen);
    return chosen;
  }

  private choose(grapheme: string): Drawn {
    const candidates = new Set(this.candidates(grapheme));
    for (const pattern of dispensable) {
      for (const font of candidates) {
        const text = this.drawable(grapheme, font, pattern);
        if (text !== undefined) return { text, font };
      }
    }
    return { text: replacement, font: 'latin' };
  }

  private candidates(grapheme: string): readonly FontName[] {
    const isPicture = grapheme.length > 1 && pictograph.test(grapheme);
    return [
      ...patterns.flatMap(([pattern, font]) => (pattern.test(grapheme) ? [font] : [])),
      ...(isPicture ? (['emoji'] as const) : []),
      'latin',
      ...this.eastAsian,
      'symbols',
      'emoji',
    ];
  }

  /** The text that a font draws for a grapheme; undefined if it lacks a required glyph. */
  private drawable(grapheme: string, font: FontName, pattern: RegExp): string | undefined {
    const has = (character: string) => this.fonts.hasGlyph(font, character.codePointAt(0) ?? 0);
    const text = grapheme.replace(pattern, (character) => (has(character) ? character : ''));
    return [...text].every(has) ? text : undefined;
  }
}
