/**
 * The twelve characters that `ESC R n` replaces, by country. Source: Epson's ESC/POS command reference, "Select an
 * international character set"; Star printers use the same numbers.
 */
const replaced = '#$@[\\]^`{|}~';

const byCountry: Readonly<Record<number, string>> = {
  1: '#$à°ç§^`éùè¨',
  2: '#$§ÄÖÜ^`äöüß',
  3: '£$@[\\]^`{|}~',
  4: '#$@ÆØÅ^`æøå~',
  5: '#¤ÉÄÖÅÜéäöåü',
  6: '#$@°\\é^ùàòèì',
  7: '₧$@¡Ñ¿^`¨ñ}~',
  8: '#$@[¥]^`{|}~',
  9: '#¤ÉÆØÅÜéæøåü',
  10: '#$ÉÆØÅÜéæøåü',
  11: '#$á¡Ñ¿é`íñóú',
  12: '#$á¡Ñ¿éüíñóú',
  13: '#$@[₩]^`{|}~',
  14: '#$ŽŠĐĆČžšđćč',
  15: '#¥@[\\]^`{|}~',
  16: '#₫@[\\]^`{|}~',
};

export type NationalSet = ReadonlyMap<string, string>;

/** The replacements of a country; undefined for the United States and for unknown numbers. */
export function nationalSet(country: number): NationalSet | undefined {
  const characters = [...(byCountry[country] ?? '')];
  return characters.length === 0
    ? undefined
    : new Map([...replaced].map((character, index) => [character, characters[index] ?? character]));
}
