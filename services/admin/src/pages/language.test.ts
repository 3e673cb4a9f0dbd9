import type { PortalLanguage } from '@receipts/contracts';
import { languageIn, chooseLanguage, languages } from './language';

const codes = Object.keys(languages) as PortalLanguage[];
const english = languages.en.messages;

it.each(codes)('has every text in %s, with the same placeholders as in English', (code) => {
  const { messages } = languages[code];
  expect(Object.keys(messages)).toEqual(Object.keys(english));
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [key, text] of Object.entries<string>({ ...messages })) {
    expect([key, text.trim() === text && text !== '']).toEqual([key, true]);
    expect([key, placeholders(text)]).toEqual([key, placeholders(english[key as keyof typeof english])]);
  }
});

it('has a singular for each plural', () => {
  const stems = (ending: string) =>
    Object.keys(english).flatMap((key) => (key.endsWith(ending) ? [key.slice(0, -ending.length)] : []));
  expect(stems('.one')).toEqual(stems('.other'));
});

it.each([
  [{}, 'en'],
  [{ acceptLanguage: 'nl, de-AT;q=0.5, fr;q=0.7' }, 'fr'],
  [{ acceptLanguage: 'fr;q=0, es' }, 'es'],
  [{ acceptLanguage: 'nl', retailerLocale: 'it_IT' }, 'it'],
  [{ acceptLanguage: 'DE-at, fr' }, 'de'],
  [{ acceptLanguage: 'de', chosen: 'es' }, 'es'],
  [{ acceptLanguage: 'constructor, -, é;q=x', chosen: 'xx' }, 'en'],
])('for %j, chooses the language %s', (reader, code) => expect(chooseLanguage(reader).code).toBe(code));

it('formats dates and amounts for the country that the reader prefers', () => {
  const shown = (acceptLanguage: string) => {
    const language = chooseLanguage({ acceptLanguage });
    return [language.day('2026-03-04'), language.money('EUR')(1234.5)];
  };
  expect(shown('en-US')).toEqual(['Mar 4, 2026', '€1,234.50']);
  expect(shown('en')).toEqual(['4 Mar 2026', '€1,234.50']);
  expect(shown('de-AT, en')).toEqual(['04.03.2026', '€\u00a01.234,50']);
});

it('shows the time of the till, and instants in a time zone', () => {
  const { localTime, time, day } = languageIn('en');
  expect(localTime('2026-03-14T12:30:00+01:00')).toBe('14 Mar 2026, 12:30');
  expect(time('2026-03-14T11:30:00Z', 'Europe/Paris')).toBe('14 Mar 2026, 12:30');
  expect([localTime('yesterday'), day('')]).toEqual(['yesterday', '']);
});

it('uses the singular or the plural that the count requires', () => {
  expect([0, 1, 2].map((count) => languageIn('fr').plural('found', count))).toEqual([
    '0 ticket trouvé',
    '1 ticket trouvé',
    '2 tickets trouvés',
  ]);
});

it('shows figures with all their digits, and no sign for zero', () => {
  const language = languageIn('en');
  expect([1.005, -0, -0.001].map(language.money('EUR'))).toEqual(['€1.005', '€0.00', '-€0.001']);
  expect([8.8755, 1234].map(language.number)).toEqual(['8.8755', '1,234']);
});
