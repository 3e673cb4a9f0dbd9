import { decodeFailed, tooLarge } from '../faults/conversion-fault';
import { partsMax, type DecodeOptions, type Part } from '../decoded/decoded';
import { joined, noSplit, partBreak, partsOfLines } from './page/page-parts';
import { PrintLine } from './page/print-line';

/** The part of the pdf.js API that is used here; its own types are those of an ECMAScript module. */
interface PdfLibrary {
  readonly VerbosityLevel: { readonly ERRORS: number };
  getDocument(
    this: void,
    options: Readonly<Record<string, unknown>>,
  ): {
    readonly promise: Promise<{ readonly numPages: number; getPage(number: number): Promise<PdfPage> }>;
    destroy(): Promise<void>;
  };
}

interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly unknown[] }>;
}

const pagesMax = 200;
const textItemsMax = 100_000;

let library: Promise<PdfLibrary> | undefined;

/**
 * pdf.js requires the browser's DOMMatrix even for extracting text. Nothing is drawn, so this implementation does
 * nothing.
 */
class IdentityMatrix {
  readonly a = 1;
  readonly b = 0;
  readonly c = 0;
  readonly d = 1;
  readonly e = 0;
  readonly f = 0;
}

/** The module has no types. */
const workerModule: string = 'pdfjs-dist/legacy/build/pdf.worker.mjs';

async function load(): Promise<PdfLibrary> {
  const scope = globalThis as Record<string, unknown>;
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) scope[name] ??= IdentityMatrix;
  scope['pdfjsWorker'] = await import(workerModule);
  return await import('pdfjs-dist/legacy/build/pdf.mjs');
}

/** Loads the PDF library, which is large. Only processes that decode PDFs load it, before their first packet. */
export function preparePdf(): Promise<PdfLibrary> {
  library ??= load();
  return library;
}

interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly height: number;
}

type TextItem = { str?: string; transform?: readonly number[]; width?: number; height?: number };

function wordOf({ str, transform, width, height }: TextItem): Word | undefined {
  if (str === undefined || transform === undefined || str.trim() === '') return undefined;
  const left = transform[4] ?? 0;
  return { text: str, left, right: left + (width ?? 0), bottom: transform[5] ?? 0, height: height || 1 };
}

/** Words at the same height form a line. */
function rowsOf(words: readonly Word[]): Word[][] {
  const rows: Word[][] = [];
  for (const word of [...words].sort((a, b) => b.bottom - a.bottom || a.left - b.left)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row && first && Math.abs(first.bottom - word.bottom) < Math.min(first.height, word.height) / 2)
      row.push(word);
    else rows.push([word]);
  }
  return rows;
}

/** A PDF may draw a text twice within this distance, in points, to make it bold. */
const samePlace = 1;

function withoutRepeated(words: readonly Word[]): Word[] {
  const shown = new Map<string, Word[]>();
  return words.filter((word) => {
    const same = shown.get(word.text) ?? [];
    const isRepeated = same.some(
      ({ left, bottom }) =>
        Math.abs(left - word.left) <= samePlace && Math.abs(bottom - word.bottom) <= samePlace,
    );
    if (!isRepeated) shown.set(word.text, [...same, word]);
    return !isRepeated;
  });
}

/** The width of a character of a document: that of the text in the middle, in order of width. */
function columnOf(words: readonly Word[]): number {
  const widths = words.map(({ text, left, right }) => (right - left) / text.length).sort((a, b) => a - b);
  return Math.max(widths[Math.floor(widths.length / 2)] ?? 1, 0.1);
}

function lineOf(row: readonly Word[], margin: number, column: number): string {
  const line = new PrintLine();
  for (const { text, left, right } of [...row].sort((a, b) => a.left - b.left)) {
    line.moveTo((left - margin) / column, 'relative');
    line.print(text, (right - left) / text.length / column);
  }
  return line.toString();
}

async function wordsOf(page: PdfPage): Promise<Word[]> {
  const { items } = await page.getTextContent();
  if (items.length > textItemsMax) throw tooLarge('/decode', 'a page has too much text');
  const words = items.map((item) => wordOf(item as TextItem)).filter((word) => word !== undefined);
  return withoutRepeated(words);
}

/** The lines of each page. Columns count from the leftmost text of the document. */
async function readPages(bytes: Buffer): Promise<string[][]> {
  const { getDocument, VerbosityLevel } = await preparePdf();
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    stopAtErrors: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    const document = await task.promise;
    if (document.numPages > pagesMax) throw tooLarge('/decode', `the data has more than ${pagesMax} pages`);
    const pages: Word[][] = [];
    for (let number = 1; number <= document.numPages; number++) {
      pages.push(await wordsOf(await document.getPage(number)));
    }
    const all = pages.flat();
    const margin = all.reduce((least, { left }) => Math.min(least, left), Infinity);
    const column = columnOf(all);
    return pages.map((words) => rowsOf(words).map((row) => lineOf(row, margin, column)));
  } finally {
    await task.destroy();
  }
}

/**
 * The text layer of a PDF as lines. Its pages are one part, unless `split` is a form feed. Scanned receipts have no text
 * and are rejected.
 */
export async function decodePdf(bytes: Buffer, options: DecodeOptions<'pdf'>): Promise<Part[]> {
  let pages: string[][];
  try {
    pages = await readPages(bytes);
  } catch (error) {
    if (error instanceof Error && error.name === 'ConversionError') throw error;
    throw decodeFailed(`is not a readable PDF: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  const { split, columns } = options;
  const parts =
    split === partBreak || split === noSplit
      ? joined(
          pages.flatMap((lines) => partsOfLines({ lines }, { columns })),
          options,
        )
      : partsOfLines({ lines: pages.flat() }, options);
  if (parts.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
  if (parts.length === 0) throw decodeFailed('has no text layer');
  return parts;
}
