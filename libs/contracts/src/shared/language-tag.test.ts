import { canonicalLanguageTag, supportedLanguageTag } from './language-tag';

it.each([
  ['FR', 'fr'],
  ['PT-br', 'pt-BR'],
  ['zh_hant_tw', 'zh-Hant-TW'],
  ['iw', 'he'],
])('writes %s as %s', (tag, canonical) => {
  expect(canonicalLanguageTag(tag)).toBe(canonical);
  expect(supportedLanguageTag(tag)).toBe(canonical);
});

it.each(['', 'en-1', 'e', 'fr FR', 'é'])('knows that %j is no language tag', (tag) => {
  expect(canonicalLanguageTag(tag)).toBeUndefined();
  expect(supportedLanguageTag(tag)).toBeUndefined();
});

it('knows languages that cannot be formatted', () => {
  expect(canonicalLanguageTag('TLH')).toBe('tlh');
  expect(supportedLanguageTag('tlh')).toBeUndefined();
});
