import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { check, mustBeAtMost, type ServiceError, wording } from '@receipts/kernel';
import { webhookContracts } from '@receipts/contracts';
import { apiText, apiTexts } from './api-text';

const codes = Object.keys(apiTexts) as (keyof typeof apiTexts)[];
const english = Object.keys(apiTexts.de);

it.each(codes)('has every text in %s, with the same placeholders', (code) => {
  const texts: Readonly<Record<string, string>> = apiTexts[code];
  expect(Object.keys(texts)).toEqual(english);
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [key, text] of Object.entries(texts))
    expect([key, placeholders(text)]).toEqual([key, placeholders(key)]);
});

/** The sources that contain the texts of the API. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .filter(({ parentPath }) => !/node_modules|dist|generated/.test(parentPath))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}

it('translates only texts that the API has', () => {
  const root = path.join(__dirname, '../../../..');
  const all = ['libs', 'services'].flatMap((folder) => sources(path.join(root, folder))).join('\n');
  const longest = (text: string) =>
    text
      .split(/: \{\w+\}$|\{\w+\}|\b\d+\b|\\/)
      .map((part) => part.trim())
      .toSorted((a, b) => b.length - a.length)[0] ?? '';
  const found = (text: string) => all.includes(longest(text).replace(/^must (?:be|have) /, ''));
  expect(english.filter((text) => !found(text))).toEqual([]);
});

it.each(codes)('has every wording of a fault in %s', (code) => {
  const texts = [...Object.values(wording), mustBeAtMost(5), mustBeAtMost(5, 'string')];
  for (const text of texts) expect([text, apiText(text, code) === text]).toEqual([text, false]);
});

it.each([
  ['must be a string or an integer', 'muss eine Zeichenkette oder eine ganze Zahl sein'],
  ['must be at most 255 characters', 'darf höchstens 255 Zeichen haben'],
  ['must be one of thin, full', 'muss einer der Werte thin, full sein'],
  ['invalid query: foo is not a valid field', 'ungültige Abfrage: foo ist kein gültiges Feld'],
  [
    'invalid query: the group is not closed at character 1',
    'ungültige Abfrage: die Gruppe ist nicht geschlossen (Zeichen 1)',
  ],
  ['invalid query: total expects a number', 'ungültige Abfrage: total erwartet eine Zahl'],
  ['there is no function $mony', 'die Funktion $mony gibt es nicht'],
  ['expected "a", got "b"', 'erwartet: "a", erhalten: "b"'],
  ['a text: that only a new release has', 'a text: that only a new release has'],
])('translates %j', (text, german) => {
  expect([apiText(text, 'de'), apiText(text, 'en')]).toEqual([german, text]);
});

it('translates the faults of a form', () => {
  const { 'application/json': schema } = webhookContracts.createWebhookEndpoint.body.variants;
  try {
    check(schema, { url: 'nowhere', event_types: ['receipt.*', 'x'], payload: 'fat' });
    throw new Error('it was accepted');
  } catch (error) {
    const { errors = [] } = error as ServiceError;
    expect(errors.map(({ path, message }) => `${path} ${apiText(message, 'fr')}`)).toEqual([
      '/url doit être une adresse https',
      '/event_types/1 ne correspond à aucun type d’événement',
      '/payload doit être l’une des valeurs thin, full',
    ]);
  }
});
