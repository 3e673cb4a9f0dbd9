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

const symbols =
  require.resolve('@expo-google-fonts/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf');

/** The fonts of PDFs. A file is read when it is first needed. */
export const fontFiles = {
  latin: noto('noto-sans', 'NotoSans'),
  arabic: noto('noto-sans-arabic', 'NotoSansArabic'),
  armenian: noto('noto-sans-armenian', 'NotoSansArmenian'),
  bengali: noto('noto-sans-bengali', 'NotoSansBengali'),
  devanagari: noto('noto-sans-devanagari', 'NotoSansDevanagari'),
  ethiopic: noto('noto-sans-ethiopic', 'NotoSansEthiopic'),
  georgian: noto('noto-sans-georgian', 'NotoSansGeorgian'),
  gujarati: noto('noto-sans-gujarati', 'NotoSansGujarati'),
  gurmukhi: noto('noto-sans-gurmukhi', 'NotoSansGurmukhi'),
  hebrew: noto('noto-sans-hebrew', 'NotoSansHebrew'),
  kannada: noto('noto-sans-kannada', 'NotoSansKannada'),
  khmer: noto('noto-sans-khmer', 'NotoSansKhmer'),
  lao: noto('noto-sans-lao', 'NotoSansLao'),
  malayalam: noto('noto-sans-malayalam', 'NotoSansMalayalam'),
  myanmar: noto('noto-sans-myanmar', 'NotoSansMyanmar'),
  oriya: noto('noto-sans-oriya', 'NotoSansOriya'),
  sinhala: noto('noto-sans-sinhala', 'NotoSansSinhala'),
  tamil: noto('noto-sans-tamil', 'NotoSansTamil'),
  telugu: noto('noto-sans-telugu', 'NotoSansTelugu'),
  thaana: noto('noto-sans-thaana', 'NotoSansThaana'),
  thai: noto('noto-sans-thai', 'NotoSansThai'),
  japanese: eastAsian('fonts-jp', 'NotoSansJP'),
  korean: eastAsian('fonts-kr', 'NotoSansKR'),
  simplified: eastAsian('fonts-sc', 'NotoSansHans'),
  traditional: eastAsian('fonts-tc', 'NotoSansHant'),
  symbols: { regular: symbols, bold: symbols },
  emoji: noto('noto-emoji', 'NotoEmoji'),
} satisfies Readonly<Record<string, Files>>;

export type FontName = keyof typeof fontFiles;
