import { visualRuns } from './visual-runs';

/** What stands on the paper from left to right, without the marks that only say how a text is read. */
const drawn = (text: string) =>
  visualRuns(text)
    .map((run) => run.text)
    .join('')
    .replace(/[\u200e\u200f\u061c]/g, '');

it.each([
  ['an amount as it is written from right to left', '\u200f71.96\u00a0€', '€\u00a071.96'],
  ['words from right to left, with the space between them', 'אב גד', 'גד אב'],
  ['a text from left to right, as it is', 'Total 71.96\u00a0€', 'Total 71.96\u00a0€'],
])('%s', (_what, text, expected) => expect(drawn(text)).toBe(expected));
