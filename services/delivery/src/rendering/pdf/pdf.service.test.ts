import { spawnSync } from 'node:child_process';
import { inflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { brandedSettings, fullReceipt, namesByScript } from '../../testing/rendered-samples';
import { pngOf } from '../../testing/png';
import { logoOf } from '../images/logo';
import { pdfOf } from './pdf';
import { viewOf, type ReceiptView } from '../view/view';

const address = 'https://receipts.example/r/token';
const view = (lang?: string) => viewOf(fullReceipt(), brandedSettings, { lang });

function manyItems(count: number, name = 'Red cotton shirt'): ReceiptView {
  const [item] = fullReceipt().items;
  const one = { ...(item as NonNullable<typeof item>), name };
  return viewOf(fullReceipt({ items: Array.from({ length: count }, () => one) }), brandedSettings);
}

const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;

/** The decompressed streams of a PDF; empty texts for streams that are not compressed. */
function streamsOf(pdf: Buffer): readonly string[] {
  const text = pdf.toString('latin1');
  return Array.from(text.matchAll(/stream\n([^]*?)\nendstream/g), ([, data = '']) => {
    try {
      return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
    } catch {
      return '';
    }
  });
}

/** The numbers of the glyphs that a PDF draws. */
const glyphsOf = (pdf: Buffer) =>
  streamsOf(pdf)
    .filter((stream) => stream.includes(' TJ'))
    .flatMap((stream) =>
      Array.from(stream.matchAll(/<([0-9a-f]+)> /g), ([, hex = '']) => hex.match(/.{4}/g) ?? []).flat(),
    );

function withNames(names: readonly string[], lang?: string): ReceiptView {
  const [item] = fullReceipt().items;
  const { 'name:fr': _fr, 'name:ar': _ar, ...plain } = item as NonNullable<typeof item>;
  const items = names.map((name) => ({ ...plain, name, properties: {} }));
  return viewOf(fullReceipt({ items }), brandedSettings, { lang });
}

const isPdftotextInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

type Method = (this: unknown, text: string, ...rest: readonly unknown[]) => unknown;

/** Counts the characters that are measured or drawn in each turn of the event loop. */
function measuredInTurns(onFirst = (): void => undefined) {
  const counts: number[] = [];
  let current: number | undefined;
  const note = (text: string) => {
    if (current === undefined) {
      current = counts.push(0) - 1;
      setImmediate(() => (current = undefined));
      if (current === 0) onFirst();
    }
    counts[current] = (counts[current] ?? 0) + text.length;
  };
  const { prototype } = PDFDocument as unknown as { prototype: Record<'widthOfString' | 'text', Method> };
  const spies = (['widthOfString', 'text'] as const).map((name) => {
    const real = prototype[name];
    return jest.spyOn(prototype, name).mockImplementation(function (this: unknown, text, ...rest) {
      note(text);
      return real.call(this, text, ...rest);
    });
  });
  const stop = () => spies.forEach((spy) => spy.mockRestore());
  return { ofTurns: () => counts, stop };
}

describe('pdfOf', () => {
  it.each(['a4', 'roll'] as const)('writes a document on %s with embedded fonts', async (format) => {
    const pdf = await pdfOf(view(), format, address);
    const text = pdf.toString('latin1');
    expect(text.startsWith('%PDF-')).toBe(true);
    expect(text).toMatch(/\/FontFile2 /);
    expect(pagesOf(pdf)).toBe(1);
    const [, width = 0] = /\/MediaBox \[0 [\d.]+ ([\d.]+)/.exec(text) ?? [];
    expect(Math.round((Number(width) / 72) * 25.4)).toBe(format === 'a4' ? 210 : 80);
  });

  it('strikes through the content of a voided receipt, and states that it was voided', async () => {
    const voided = { timestamp: '2026-05-17T10:00:00+00:00', reason: null, transaction_id: null };
    const drawn = async (receipt: ReturnType<typeof fullReceipt>) => {
      const text = jest.spyOn(PDFDocument.prototype, 'text');
      await pdfOf(viewOf(receipt, brandedSettings, { lang: 'fr' }), 'a4', address);
      const calls = text.mock.calls as unknown as [string, number, number, { strike: boolean }][];
      text.mockRestore();
      const struck = calls.filter(([, , , { strike }]) => strike).map(([one]) => one);
      return { all: calls.map(([one]) => one), struck };
    };
    const of = await drawn(fullReceipt({ voided }));
    expect(of.all).toContain('Ce ticket a été annulé.');
    expect(of.struck).toContain('Chemise rouge en coton');
    expect(of.struck).not.toContain('Maison Lumière');
    expect((await drawn(fullReceipt())).struck).toEqual([]);
  });

  it('continues on further pages of A4', async () => {
    const pdf = await pdfOf(manyItems(400), 'a4', address);
    expect(pagesOf(pdf)).toBeGreaterThan(10);
  });

  it('cuts a roll below the last line, and starts a second one at the maximum page length', async () => {
    const heights = async (shown: ReceiptView) => {
      const text = (await pdfOf(shown, 'roll', address)).toString('latin1');
      const boxes = text.matchAll(/\/MediaBox \[0 ([\d.]+) [\d.]+ ([\d.]+)\]/g);
      return Array.from(boxes, ([, bottom, top]) => Number(top) - Number(bottom));
    };
    const [short = 0] = await heights(manyItems(1));
    const [long = 0] = await heights(manyItems(101));
    expect(short).toBeGreaterThan(200);
    expect(long).toBeGreaterThan(short + 100 * 20);
    const [first, second = 0] = await heights(manyItems(600));
    expect(first).toBe(14_400);
    expect(second).toBeLessThan(14_400);
  });

  it('works for a few milliseconds per turn, no matter how long names are or how many PDFs are written', async () => {
    const { ofTurns, stop } = measuredInTurns();
    const name = `${'Café'.repeat(60)} ${'à la carte '.repeat(23)}`;
    const view = manyItems(20, name);
    await Promise.all([pdfOf(view, 'a4', address), pdfOf(view, 'roll', address)]);
    stop();
    const longest = Math.max(...ofTurns());
    expect(ofTurns().reduce((sum, count) => sum + count)).toBeGreaterThan(20 * longest);
    expect(longest).toBeLessThan(6_000);
  });

  it('stops when no caller is waiting any more', async () => {
    const waiting = new AbortController();
    const { ofTurns, stop } = measuredInTurns(() => waiting.abort(new Error('gone')));
    await expect(pdfOf(manyItems(500), 'a4', address, { signal: waiting.signal })).rejects.toThrow('gone');
    stop();
    expect(ofTurns().length).toBeLessThan(4);
  });

  it.each(['el', 'ar', 'he', 'pl', 'ru'])('supports %s', async (lang) => {
    expect((await pdfOf(view(lang), 'roll', address)).length).toBeGreaterThan(5_000);
  });

  it('draws names in more than 30 scripts without missing-glyph boxes', async () => {
    const pdf = await pdfOf(withNames(Object.values(namesByScript)), 'a4', address);
    const glyphs = glyphsOf(pdf);
    expect(glyphs.length).toBeGreaterThan(300);
    expect(glyphs).not.toContain('0000');
    expect(pdf.toString('latin1').match(/\/BaseFont/g)?.length).toBeGreaterThan(40);
  });

  it('draws a replacement character if no font has a letter', async () => {
    expect(glyphsOf(await pdfOf(withNames(['\u{13000}\u{e000}']), 'a4', address))).not.toContain('0000');
  });

  it('has tags, a language, links and page numbers', async () => {
    const pdf = await pdfOf(manyItems(60), 'a4', address);
    const text = pdf.toString('latin1');
    expect(text).toMatch(/\/Marked true/);
    expect(text).toMatch(/\/Lang \(en-GB\)/);
    expect(text).toContain(`/URI (${address})`);
    expect(text).toContain('/URI (https://maison-lumiere.example/)');
    expect(text).toContain(`/URI (${address}/attachments/warranty)`);
    for (const tag of ['Document', 'H1', 'Table', 'TR', 'TH', 'TD', 'Link', 'Figure']) {
      expect(text).toMatch(new RegExp(`/S /${tag}\\b`));
    }
    const pages = pagesOf(pdf);
    expect(streamsOf(pdf).filter((stream) => stream.includes('/Type /Pagination'))).toHaveLength(pages);
  });

  it.each([5, 6, 17])('shows no QR code on a page without text, with %i items', async (count) => {
    const many = manyItems(count);
    const short = { ...many, attachments: [], brand: { ...many.brand, footer: [], links: [] } };
    const text = jest.spyOn(PDFDocument.prototype, 'text');
    const addPage = jest.spyOn(PDFDocument.prototype, 'addPage');
    await pdfOf(short, 'a4', address);
    const lastPage = addPage.mock.invocationCallOrder.at(-1) ?? 0;
    const shown = text.mock.calls
      .filter((_, at) => (text.mock.invocationCallOrder[at] ?? 0) > lastPage)
      .map(([line]) => line as unknown as string);
    text.mockRestore();
    addPage.mockRestore();
    expect(shown).toContain(short.facts.at(-1)?.label);
  });

  it('repeats the heading of the items on each page, and keeps an item on one page', async () => {
    const text = jest.spyOn(PDFDocument.prototype, 'text');
    const addPage = jest.spyOn(PDFDocument.prototype, 'addPage');
    await pdfOf(manyItems(60), 'a4', address);
    const calls = text.mock.calls.map((call, at) => {
      return { text: call[0] as unknown as string, order: text.mock.invocationCallOrder[at] ?? 0 };
    });
    const pages = addPage.mock.invocationCallOrder;
    text.mockRestore();
    addPage.mockRestore();
    const firstOf = (order: number) => calls.filter((call) => call.order > order).map((call) => call.text);
    for (const order of pages.slice(1, 4)) {
      expect(firstOf(order).slice(0, 2)).toEqual(['Items', 'Amount']);
      expect(firstOf(order)[2]).toBe('Red cotton shirt');
    }
  });

  (isPdftotextInstalled ? it : it.skip).each([
    ['ar', ['قميص أحمر (قطن)', 'قطن ورق!'], ['الإجمالي', 'بطاقة']],
    ['he', ['חולצה אדומה (כותנה)', 'קפה תה!'], []],
    ['hi', ['हिन्दी में किताब'], []],
    ['ja', ['抹茶ラテ ￥500'], []],
    ['el', ['ΑΒ Αλφα AB'], ['Σύνολο']],
  ])('contains the text of a receipt in %s in reading order', async (lang, names, labels) => {
    const pdf = await pdfOf(withNames(names, lang), 'a4', address);
    const { stdout } = spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });
    const text = stdout.replace(/[\u200e\u200f\u202a-\u202e]/g, '');
    for (const part of [...names, ...labels]) expect(text).toContain(part);
  });

  (isPdftotextInstalled ? it : it.skip)('draws Arabic numbers from left to right', async () => {
    const pdf = await pdfOf(view('ar-EG'), 'a4', address);
    const { stdout } = spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });
    for (const number of ['٧١٫٩٦', '٢٠٢٦']) expect(stdout).toContain(number);
  });

  it('shares its fonts with concurrent documents, and contains only the glyphs that it uses', async () => {
    const make = (lang: string) => pdfOf(view(lang), 'a4', address);
    const alone = [(await make('ar')).length, (await make('el')).length];
    const together = await Promise.all([make('ar'), make('el'), make('ar'), make('el')]);
    expect(together.map(({ length }) => length)).toEqual([...alone, ...alone]);
    expect(alone[0]).not.toBe(alone[1]);
  });
});

it.each(['a4', 'roll'] as const)('shows a transparent logo on %s', async (format) => {
  const pdf = (await pdfOf(view(), format, address, { logo: logoOf(pngOf(320, 80)) })).toString('latin1');
  expect(pdf.match(/\/Subtype \/Image/g)).toHaveLength(2);
  expect(pdf).toMatch(/\/Width 320\b/);
  expect(pdf).toMatch(/\/SMask/);
  expect((await pdfOf(view(), format, address)).includes('/Subtype /Image')).toBe(false);
});
