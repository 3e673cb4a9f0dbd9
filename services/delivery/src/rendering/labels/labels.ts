import ar from './ar.json';
import bg from './bg.json';
import cs from './cs.json';
import da from './da.json';
import de from './de.json';
import el from './el.json';
import en from './en.json';
import es from './es.json';
import fi from './fi.json';
import fr from './fr.json';
import he from './he.json';
import hr from './hr.json';
import hu from './hu.json';
import it from './it.json';
import ja from './ja.json';
import ko from './ko.json';
import nb from './nb.json';
import nl from './nl.json';
import pl from './pl.json';
import pt from './pt.json';
import ro from './ro.json';
import sk from './sk.json';
import sv from './sv.json';
import tr from './tr.json';
import uk from './uk.json';
import zh from './zh.json';
import zhHant from './zh-Hant.json';

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
function writtenLanguage(locale: string): string {
  const language = locale.split('-')[0] ?? 'en';
  if (language !== 'zh') return sameLanguage[language] ?? language;
  return new Intl.Locale(locale).maximize().script === 'Hant' ? 'zh-Hant' : 'zh';
}

/** True if there are labels in the language of the locale. */
export function hasLabels(locale: string): boolean {
  return Object.hasOwn(byLanguage, writtenLanguage(locale));
}

/** The language of the labels for a locale; English if there are none in its language. */
export function labelLanguage(locale: string): string {
  return hasLabels(locale) ? writtenLanguage(locale) : 'en';
}

export function labelsOf(locale: string): Labels {
  return byLanguage[labelLanguage(locale)] as Labels;
}
