import { defaultRetailerSettings } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { brandPatch, changesOf as changesIn, draftOf, type BrandDraft } from './brand-draft';

const { brand } = defaultRetailerSettings;
const empty = draftOf(brand);
const changesOf = (draft: BrandDraft) => changesIn(draft, brand);

it('uses the defaults for empty fields', () => {
  expect(changesOf(empty)).toEqual(brand);
});

it('reads a link from each line, and writes it back', () => {
  const links = 'Terms of sale https://shop.example/terms\r\n\r\n  https://shop.example ';
  const changes = changesOf({ ...empty, links });
  expect(changes.links).toEqual([
    { name: 'Terms of sale', href: 'https://shop.example/terms' },
    { name: 'https://shop.example', href: 'https://shop.example' },
  ]);
  expect(changesOf(draftOf(changes))).toEqual(changes);
});

it('reads a line of a link in a time that grows with its length', () => {
  // With a time that grows with the square of the length, this test would take an hour.
  const long = `${'a'.repeat(500_000)} ${' '.repeat(500_000)} b`;
  expect(() => changesOf({ ...empty, links: long })).toThrow(ServiceError);
});

it('reads the texts of other languages, and leaves out those without texts', () => {
  const changes = changesOf({
    ...empty,
    language: ['fr', 'de', ''],
    translated_header: ['Merci !', '', ''],
    translated_footer: ['', ' ', ''],
    translated_links: ['CGV https://shop.example/cgv', '', ''],
  });
  expect(changes.translations).toEqual({
    fr: { header: 'Merci !', footer: null, links: [{ name: 'CGV', href: 'https://shop.example/cgv' }] },
  });
  expect(changesOf(draftOf(changes))).toEqual(changes);
});

it.each([
  [['fr', 'fr'], '/translations/fr'],
  [['pt-BR', ' pt-br '], '/translations/pt-br'],
])('rejects the languages %j, of which only the last texts would be kept', (language, path) => {
  const draft = { ...empty, language, translated_header: ['one', 'two'] };
  const errors = [expect.objectContaining({ path, code: 'repeated' })];
  expect(() => changesOf(draft)).toThrow(expect.objectContaining({ status: 422, errors }));
});

it('keeps the texts of other languages if the form has none, and removes languages without texts', () => {
  const french = { header: 'Merci !', footer: null, links: null };
  const saved = { ...brand, translations: { fr: french, de: french } };
  const { language: _, ...withoutLanguages } = empty;
  expect(changesIn(withoutLanguages, saved).translations).toEqual(saved.translations);
  const changed = { ...brand, translations: { fr: french } };
  expect(brandPatch(saved, changed).translations).toEqual({ fr: french, de: null });
});

it.each([
  [{ language: 'not a tag', translated_header: 'Hi' }, '/translations/not a tag'],
  [{ colour: 'red' }, '/colour'],
  [{ logo: 'javascript:1' }, '/logo'],
  [{ links: 'Terms' }, '/links/0/href'],
  [{ header: 'a'.repeat(2001) }, '/header'],
])('rejects %j', (change, path) => {
  const attempt = () => changesOf({ ...empty, ...change });
  expect(attempt).toThrow(ServiceError);
  expect(attempt).toThrow(
    expect.objectContaining({ status: 422, errors: [expect.objectContaining({ path })] }),
  );
});
