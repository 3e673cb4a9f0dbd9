import { FontChoice } from './font-choice';
import { loadFonts } from './fonts';
import { visualRuns } from './visual-runs';

let fonts: FontChoice;
beforeAll(async () => {
  fonts = new FontChoice(await loadFonts(), ['en-GB']);
});

const runsOf = (text: string) => visualRuns(text, fonts);
const shown = (text: string) => runsOf(text).map(({ text: run, font }) => `${font}:${run}`);

/** The text on the paper from left to right, without direction marks. */
const drawn = (text: string) =>
  runsOf(text)
    .map((run) => run.text)
    .join('')
    .replace(/[\u200e\u200f\u061c]/g, '');

it.each([
  ['an amount in right-to-left text', '\u200f71.96\u00a0€', '€\u00a071.96'],
  ['words from right to left, with the space between them', 'אב גד', 'גד אב'],
  ['left-to-right text, unchanged', 'Total 71.96\u00a0€', 'Total 71.96\u00a0€'],
])('%s', (_what, text, expected) => expect(drawn(text)).toBe(expected));

it('leaves left-to-right text unchanged', () => {
  expect(shown('Café Ελλάδα Привет 12')).toEqual(['latin:Café Ελλάδα Привет 12']);
  expect(shown('+33 1 23')).toEqual(['latin:+33 1 23']);
});

it('puts Hebrew words in visual order, and keeps the order of numbers between them', () => {
  expect(shown('סך הכל')).toEqual(['hebrew:הכל', 'hebrew: ', 'hebrew:סך']);
  expect(shown('סך 12.50')).toEqual(['latin:12.50', 'hebrew: ', 'hebrew:סך']);
});

it('draws each digit of an Arabic number by itself, from left to right', () => {
  const digits = shown('١٤ مارس').filter((run) => /[٠-٩]/.test(run));
  expect(digits).toEqual(['arabic:١', 'arabic:٤']);
  expect(drawn('\u200f٢٥٠٫٣٣\u00a0€')).toBe('€\u00a0٢٥٠٫٣٣');
});

it('keeps combining marks with their letters', () => {
  expect(shown('نقدًا')).toEqual(['arabic:نقدًا']);
});

it('mirrors brackets and reverses punctuation in right-to-left text', () => {
  expect(shown('א (ב)').join('')).toContain('latin:)');
  expect(drawn('אב?!')).toBe('!?אב');
});

it('states the text of glyphs that do not follow the letters', () => {
  expect(runsOf('किताब')).toEqual([{ text: 'किताब', font: 'devanagari', actual: 'किताब' }]);
  expect(runsOf('א)')[0]).toEqual({ text: '(', font: 'latin', actual: '\u200f)' });
});

it('draws each part of a text with a font that has it', () => {
  expect(shown('Tea 抹茶 👍🏽 ₹20 ✓')).toEqual([
    'latin:Tea ',
    'simplified:抹茶 ',
    'emoji:👍🏽',
    'latin: ₹20 ',
    'simplified:✓',
  ]);
});

it.each([
  ['ja-JP', 'japanese'],
  ['zh-CN', 'simplified'],
  ['zh-TW', 'traditional'],
  ['ko', 'korean'],
])('draws Chinese characters in the shape used in %s', async (locale, font) => {
  const choice = new FontChoice(await loadFonts(), ['en', locale]);
  expect(visualRuns('直', choice)).toEqual([{ text: '直', font }]);
});

it('omits marks that a font lacks, and replaces characters that no font has', () => {
  expect(shown('\u{13000}')).toEqual(['latin:\ufffd']);
  expect(runsOf('क\u{1e2ec}')).toEqual([{ text: 'क', font: 'devanagari', actual: 'क\u{1e2ec}' }]);
});
