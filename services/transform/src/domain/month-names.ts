/** The languages of the platform's labels, with the usual abbreviations that CLDR lacks, from January to December. */
const abbreviationsOf: Readonly<Record<string, string>> = {
  ar: '',
  bg: 'яну фев мар апр май юни юли авг сеп/септ окт ное/ноем дек',
  cs: '',
  da: 'jan feb mar apr maj jun jul aug sep/sept okt nov dec',
  de: 'Jän/Jänner Febr/Feber Mrz/Mär/Maerz Apr Mai Jun Jul Aug Sept Okt Nov Dez',
  el: 'Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος/Μάι Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος/Σεπτ Οκτώβριος Νοέμβριος Δεκέμβριος',
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec',
  es: 'ene feb mar abr may jun jul ago sep/set/setiembre oct nov dic',
  fi: '',
  fr: 'jan fev/fevr mars/mar avr/avri mai juin/jun juil/jul aout/aou sep/sept oct nov dec',
  he: '',
  hr: '',
  hu: '',
  it: 'genn/gen febbr/feb mar apr magg/mag giu lug ago sett/set ott nov dic',
  ja: '',
  ko: '',
  nb: 'jan feb mar apr mai jun jul aug sep/sept okt nov des',
  nl: 'jan febr/feb mrt/maa apr mei jun jul aug sep/sept okt nov dec',
  pl: '',
  pt: 'jan fev mar abr mai jun jul ago set out nov dez',
  ro: 'ian feb mart/mar apr mai iun iul aug sept/sep oct noi dec',
  sk: '',
  sv: 'jan febr/feb mar apr maj jun jul aug sept/sep okt nov dec',
  tr: '',
  uk: '',
  zh: '',
};

/** Case, accents and points are left out by many tills. */
function fold(word: string): string {
  const plain = word.normalize('NFD').replace(/[\p{M}.׳’'`]/gu, '');
  return plain.toLowerCase().replaceAll('ı', 'i').replaceAll('ł', 'l').replaceAll('ς', 'σ');
}

const forms: readonly Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'short' },
  { month: 'long', day: 'numeric' },
  { month: 'short', day: 'numeric' },
];

function namesOf(language: string, month: number, abbreviations: string): string[] {
  const middle = Date.UTC(2001, month - 1, 15);
  const printed = forms.map((form) => {
    const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...form, timeZone: 'UTC' });
    return format.formatToParts(middle).find(({ type }) => type === 'month')?.value ?? '';
  });
  const usual = abbreviations.split(' ')[month - 1]?.split('/') ?? [];
  return [...printed, ...usual].map(fold).filter((name) => /\p{L}/u.test(name));
}

/** The month of each name, by language. */
function readNames(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return new Map(
    Object.entries(abbreviationsOf).map(([language, abbreviations]) => {
      const months = Array.from({ length: 12 }, (_, index) => index + 1);
      const names = months.flatMap((month) =>
        namesOf(language, month, abbreviations).map((name) => [name, month] as const),
      );
      return [language, new Map(names)];
    }),
  );
}

let known: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;

/** The language of a locale such as `hr`, `de_AT` or `zh-Hant`; undefined if its months are unknown. */
export function languageOfMonths(locale: string): string | undefined {
  const [language = ''] = locale.toLowerCase().split(/[-_]/);
  const name = language === 'no' || language === 'nn' ? 'nb' : language;
  return Object.hasOwn(abbreviationsOf, name) ? name : undefined;
}

/**
 * The month, 1 to 12, whose name or abbreviation this word is, in any of the languages.
 * @param language the only language to look in
 * @returns undefined if no month has this name, or if it names different months in two languages (`listopad`)
 */
export function monthOf(word: string, language?: string): number | undefined {
  known ??= readNames();
  const name = fold(word);
  const among = language === undefined ? [...known.values()] : [known.get(language)];
  const months = new Set(among.flatMap((names) => names?.get(name) ?? []));
  return months.size === 1 ? [...months][0] : undefined;
}
