/**
 * The ABNF of RFC 5646, section 2.1, with `_` instead of `-`, and with the recommended case of each subtag (section
 * 2.1.1): language and variants in lower case, Script in title case, REGION in upper case. Tags that consist only of
 * private use subtags are rejected, because they denote no language.
 */
const tagPattern = new RegExp(
  [
    '^(?:[a-z]{2,3}(?:_[a-z]{3}){0,3}|[a-z]{4,8})', // language, extended language
    '(?:_[A-Z][a-z]{3})?', // script
    '(?:_(?:[A-Z]{2}|[0-9]{3}))?', // region
    '(?:_(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*', // variants
    '(?:_[0-9a-wy-z](?:_[a-z0-9]{2,8})+)*', // extensions
    '(?:_x(?:_[a-z0-9]{1,8})+)?$', // private use at the end
  ].join(''),
);

/** Longer than any tag in use. It limits the cost of matching hostile input. */
const tagLengthMax = 64;

/** True for `fr`, `de_AT`, `zh_Hant_TW`; false for `de_at`, `DE_AT`, `en-GB`, `en_`, `x_private`. */
export function isTranslationTag(tag: string): boolean {
  return tag.length <= tagLengthMax && tagPattern.test(tag);
}
