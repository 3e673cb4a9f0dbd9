/**
 * The canonical form of a language tag (BCP 47), whose case has no meaning: `pt-BR` for `PT-br`. Underscores are read as
 * hyphens.
 * @returns undefined for text that is no language tag
 */
export function canonicalLanguageTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** The canonical form of a tag that `Intl` supports for numbers and dates. */
export function supportedLanguageTag(tag: string | null | undefined): string | undefined {
  const canonical = tag ? canonicalLanguageTag(tag) : undefined;
  return canonical !== undefined && Intl.NumberFormat.supportedLocalesOf(canonical).length > 0
    ? canonical
    : undefined;
}
