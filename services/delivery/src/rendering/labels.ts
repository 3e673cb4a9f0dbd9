import ar from './labels/ar.json';
import de from './labels/de.json';
import el from './labels/el.json';
import en from './labels/en.json';
import es from './labels/es.json';
import fr from './labels/fr.json';
import it from './labels/it.json';
import nl from './labels/nl.json';
import pl from './labels/pl.json';
import pt from './labels/pt.json';

/**
 * The fixed texts of a receipt. Every language must have all texts of English; otherwise the service does not compile.
 */
export type Labels = Readonly<typeof en>;

const byLanguage: Readonly<Record<string, Labels>> = { en, fr, de, es, it, nl, pt, pl, el, ar };

const languageOf = (locale: string) => locale.split('-')[0] ?? 'en';

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
