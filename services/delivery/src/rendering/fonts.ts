import { readFileSync } from 'node:fs';

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

const read = new Map<string, Buffer>();

/** Read once, when the first PDF needs it. */
export function fontFile(name: FontName, weight: Weight): Buffer {
  const file = files[name][weight];
  let bytes = read.get(file);
  if (!bytes) {
    bytes = readFileSync(require.resolve(file));
    read.set(file, bytes);
  }
  return bytes;
}

const arabic = /\p{Script=Arabic}/u;
const hebrew = /\p{Script=Hebrew}/u;
const letter = /\p{L}/u;

/** The font for a character; what belongs to no script goes with its neighbours (undefined). */
export function fontOf(character: string): FontName | undefined {
  if (arabic.test(character)) return 'arabic';
  if (hebrew.test(character)) return 'hebrew';
  return letter.test(character) ? 'latin' : undefined;
}
