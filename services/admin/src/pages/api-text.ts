import type { PortalLanguage } from '@receipts/contracts';
import de from './api-texts/de.json';
import es from './api-texts/es.json';
import fr from './api-texts/fr.json';
import it from './api-texts/it.json';

/** By the English text of the API, with names in braces for the parts that vary. */
type ApiTexts = Readonly<Record<string, string>>;

/** Every language must have every text that German has; otherwise the service does not compile. */
export const apiTexts = { de, es, fr, it } satisfies Record<Exclude<PortalLanguage, 'en'>, typeof de>;

const placeholder = /\{(\w+)\}/g;

interface Template {
  readonly text: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** Such a template would match nearly everything, so it applies only to a part of another text. */
  readonly beginsWithPlaceholder: boolean;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const fixedLength = (text: string) => text.replace(placeholder, '').length;

function templateOf(text: string): Template {
  const names = [...text.matchAll(placeholder)].map(([, name = '']) => name);
  const fixed = text.split(/\{\w+\}/).map(escaped);
  const pattern = new RegExp(`^${fixed.join('(.+?)')}$`, 's');
  return { text, pattern, names, beginsWithPlaceholder: text.startsWith('{') };
}

/** The most specific first. */
const templates = Object.keys(de)
  .filter((text) => text.includes('{'))
  .toSorted((a, b) => fixedLength(b) - fixedLength(a))
  .map(templateOf);

function translated(text: string, texts: ApiTexts, isPart: boolean): string | undefined {
  if (Object.hasOwn(texts, text)) return texts[text];
  for (const template of templates) {
    if (template.beginsWithPlaceholder && !isPart) continue;
    const found = template.pattern.exec(text);
    if (!found) continue;
    const values = new Map(template.names.map((name, index) => [name, found[index + 1] ?? '']));
    return texts[template.text]?.replace(placeholder, (_, name: string) => {
      const value = values.get(name) ?? '';
      return translated(value, texts, true) ?? value;
    });
  }
  return undefined;
}

/** Translates a text from the API, and returns it unchanged if there is no translation. */
export function apiText(text: string, code: PortalLanguage): string {
  return code === 'en' ? text : (translated(text, apiTexts[code], false) ?? text);
}
