import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as Fontkit from 'fontkit';

/** Fonts in the order in which they are tried for a character. */
export const fontNames = ['latin', 'arabic', 'hebrew'] as const;
export type FontName = (typeof fontNames)[number];
export type Weight = 'regular' | 'bold';

const files: Readonly<Record<FontName, Readonly<Record<Weight, string>>>> = {
  latin: {
    regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
    bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
  },
  arabic: {
    regular: '@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
    bold: '@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf',
  },
  hebrew: {
    regular: '@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf',
    bold: '@expo-google-fonts/noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf',
  },
};

/** Parsed fonts, by the placeholder that is given to documents. */
const parsed = new Map<Uint8Array, object>();
const sources = new Map<string, Promise<Buffer>>();

/** A fontkit format for fonts that are parsed already. */
class ParsedFont {
  static probe(source: Uint8Array): boolean {
    return parsed.has(source);
  }

  constructor({ buffer }: { readonly buffer: Uint8Array }) {
    return parsed.get(buffer) as object;
  }
}

let library: Promise<typeof Fontkit> | undefined;

/** Imported in the same way as pdfkit does, so that both share one instance. */
async function loadFontkit(): Promise<typeof Fontkit> {
  const fontkit = await import('fontkit');
  fontkit.registerFormat(ParsedFont);
  return fontkit;
}

async function parse(file: string): Promise<Buffer> {
  library ??= loadFontkit();
  const { create } = await library;
  const source = Buffer.from(`parsed font ${file}`);
  // Each font takes some 30 ms, so each is parsed in a turn of its own.
  await nextTurn();
  parsed.set(source, create(readFileSync(require.resolve(file))));
  return source;
}

/**
 * The value given to a PDF document as a font. By default every document parses its fonts, which costs far more than
 * writing it: 180 ms of CPU on A4 instead of 14. They are parsed once, when the first PDF needs them.
 */
export function fontSource(name: FontName, weight: Weight): Promise<Buffer> {
  const file = files[name][weight];
  let source = sources.get(file);
  if (!source) {
    source = parse(file);
    sources.set(file, source);
  }
  return source;
}

const arabic = /\p{Script=Arabic}/u;
const hebrew = /\p{Script=Hebrew}/u;
const letter = /\p{L}/u;

/** The font for a character; undefined for characters of no script, which use the font of their neighbours. */
export function fontOf(character: string): FontName | undefined {
  if (arabic.test(character)) return 'arabic';
  if (hebrew.test(character)) return 'hebrew';
  return letter.test(character) ? 'latin' : undefined;
}
