import path from 'node:path';

export type Weight = 'regular' | 'bold';

type Files = Readonly<Record<Weight, string>>;

function noto(folder: string, name: string): Files {
  const file = (weight: string) =>
    require.resolve(`@expo-google-fonts/${folder}/${weight}/${name}_${weight}.ttf`);
  return { regular: file('400Regular'), bold: file('700Bold') };
}

/** These packages export only their code, so their fonts are located relative to it. */
function eastAsian(folder: string, name: string): Files {
  const file = (weight: string) =>
    path.join(require.resolve(`@embedpdf/${folder}`), '../../fonts', `${name}-${weight}.otf`);
  return { regular: file('Regular'), bold: file('Bold') };
}

/** Scripts with a font of their own, by their names in Unicode. */
const scripts = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Gujarati',
  'Gurmukhi',
  'Hebrew',
  'Kannada',
  'Khmer',
  'Lao',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
] as const;

type ScriptFont = Lowercase<(typeof scripts)[number]>;

/** The fonts of scripts, by the names of the scripts. */
export const scriptFonts = scripts.map((script) => [script, script.toLowerCase() as ScriptFont] as const);
const ofScripts = Object.fromEntries(
  scriptFonts.map(([script, font]) => [font, noto(`noto-sans-${font}`, `NotoSans${script}`)]),
) as Record<ScriptFont, Files>;

const symbols =
  require.resolve('@expo-google-fonts/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf');

/** The fonts of PDFs. A file is read when it is first needed. */
export const fontFiles = {
  latin: noto('noto-sans', 'NotoSans'),
  ...ofScripts,
  japanese: eastAsian('fonts-jp', 'NotoSansJP'),
  korean: eastAsian('fonts-kr', 'NotoSansKR'),
  simplified: eastAsian('fonts-sc', 'NotoSansHans'),
  traditional: eastAsian('fonts-tc', 'NotoSansHant'),
  symbols: { regular: symbols, bold: symbols },
  emoji: noto('noto-emoji', 'NotoEmoji'),
} satisfies Readonly<Record<string, Files>>;

export type FontName = keyof typeof fontFiles;
