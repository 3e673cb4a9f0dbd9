import { pdfOf } from './pdf';
import { brandedSettings, fullReceipt } from '../testing/rendered-samples';
import { viewOf } from './view';
import { visualRuns } from './visual-runs';

const address = 'https://receipts.example/r/token';
const view = (lang?: string) => viewOf(fullReceipt(), brandedSettings, { lang });

describe('pdfOf', () => {
  it.each(['a4', 'roll'] as const)('writes a document on %s with its fonts inside', async (format) => {
    const pdf = await pdfOf(view(), format, address);
    const text = pdf.toString('latin1');
    expect(text.startsWith('%PDF-')).toBe(true);
    expect(text).toMatch(/\/FontFile2 /);
    expect(text.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(1);
    const [, width = 0] = /\/MediaBox \[0 0 ([\d.]+)/.exec(text) ?? [];
    expect(Math.round((Number(width) / 72) * 25.4)).toBe(format === 'a4' ? 210 : 80);
  });

  it('goes on to further pages of A4, and turns to others meanwhile', async () => {
    const [item] = fullReceipt().items;
    const items = Array.from({ length: 400 }, () => item as NonNullable<typeof item>);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const pdf = await pdfOf(viewOf(fullReceipt({ items }), brandedSettings), 'a4', address);
    clearInterval(timer);
    expect(pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length).toBeGreaterThan(10);
    expect(turns).toBeGreaterThan(2);
  });

  it.each(['el', 'ar', 'he', 'pl', 'ru'])('can be written in %s', async (lang) => {
    expect((await pdfOf(view(lang), 'roll', address)).length).toBeGreaterThan(5_000);
  });

  it('shares its fonts with others that are written at the same time, and holds only the signs of its own', async () => {
    const make = (lang: string) => pdfOf(view(lang), 'a4', address);
    const alone = [(await make('ar')).length, (await make('el')).length];
    const together = await Promise.all([make('ar'), make('el'), make('ar'), make('el')]);
    expect(together.map(({ length }) => length)).toEqual([...alone, ...alone]);
    expect(alone[0]).not.toBe(alone[1]);
  });
});

describe('visualRuns', () => {
  const shown = (text: string) => visualRuns(text).map(({ text: run, font }) => `${font}:${run}`);

  it('leaves what is read from left to right as it is', () => {
    expect(shown('Café Ελλάδα Привет 12')).toEqual(['latin:Café Ελλάδα Привет 12']);
    expect(shown('+33 1 23')).toEqual(['latin:+33 1 23']);
  });

  it('puts words of Hebrew in visual order, and numbers between them the right way round', () => {
    expect(shown('סך הכל')).toEqual(['hebrew:הכל', 'hebrew: ', 'hebrew:סך']);
    expect(shown('סך 12.50')).toEqual(['latin:12.50', 'hebrew: ', 'hebrew:סך']);
  });

  it('keeps marks with their letters', () => {
    expect(shown('نقدًا')).toEqual(['arabic:نقدًا']);
  });

  it('mirrors brackets that are read from right to left', () => {
    expect(shown('א (ב)').join('')).toContain('latin:)');
  });
});
