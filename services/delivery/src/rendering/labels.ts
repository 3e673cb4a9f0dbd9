import ar from './labels/ar.json';
import bg from './labels/bg.json';
import cs from './labels/cs.json';
import da from './labels/da.json';
import de from './labels/de.json';
import el from './labels/el.json';
import en from './labels/en.json';
import es from './labels/es.json';
import fi from './labels/fi.json';
import fr from './labels/fr.json';
import he from './labels/he.json';
import hr from './labels/hr.json';
import hu from './labels/hu.json';
import it from './labels/it.json';
import ja from './labels/ja.json';
import ko from './labels/ko.json';
import nb from './labels/nb.json';
import nl from './labels/nl.json';
import pl from './labels/pl.json';
import pt from './labels/pt.json';
import ro from './labels/ro.json';
import sk from './labels/sk.json';
import sv from './labels/sv.json';
import tr from './labels/tr.json';
import uk from './labels/uk.json';
import zh from './labels/zh.json';
import zhHant from './labels/zh-Hant.json';

/**
 * The fixed texts of a receipt. Every language must have every text that English has; otherwise the service does not
 * compile.
 */
export type Labels = Readonly<typeof en>;

const byLanguage: Readonly<Record<string, Labels>> = {
  ar,
  bg,
  cs,
  da,
  de,
  el,
  en,
  es,
  fi,
  fr,
  he,
  hr,
  hu,
  it,
  ja,
  ko,
  nb,
  nl,
  pl,
  pt,
  ro,
  sk,
  sv,
  tr,
  uk,
  zh,
  'zh-Hant': zhHant,
};

/** The languages that have labels, as language tags. */
export const labelLanguages: readonly string[] = Object.keys(byLanguage);

/** Tags that denote the same written language as another tag. */
const sameLanguage: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he' };

/** The language of a locale, including the script for traditional Chinese. */
function languageOf(locale: string): string {
  const language = locale.split('-')[0] ?? 'en';
  if (language !== 'zh') return sameLanguage[language] ?? language;
  return new Intl.Locale(locale).maximize().script === 'Hant' ? 'zh-Hant' : 'zh';
}

/** True if there are labels in the language of the locale. */
export function hasLabels(locale: string): boolean {
  return Object.hasOwn(byLanguage, languageOf(locale));
}

/** The language of the labels for a locale; English if there are none in its language. */
export function labelLanguage(locale: string): string {
  return hasLabels(locale) ? languageOf(locale) : 'en';
}

export function labelsOf(locale: string): Labels {
  return byLanguage[labelLanguage(locale)] as Labels;
}
