import { decodeFailed, tooLarge } from '../faults/conversion-fault';
import type { DecodeOptions, Part } from './decoded';
import { partsOf } from './lines';

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

const gapSpacesMax = 60;

/** A gap becomes as many spaces as characters would fit into it, so that columns stay separate. */
function lineOf(row: readonly Word[]): string {
  let line = '';
  let right: number | undefined;
  for (const word of [...row].sort((a, b) => a.left - b.left)) {
    const widths = word.right - word.left;
    const character = Math.max(widths / Math.max(word.text.length, 1), word.height / 4, 0.1);
    const gap = right === undefined ? 0 : word.left - right;
    if (gap > character / 3)
      line += ' '.repeat(Math.min(Math.max(1, Math.round(gap / character)), gapSpacesMax));
    line += word.text;
    right = word.right;
  }
  return line;
}

async function pageText(page: PdfPage): Promise<string> {
  const { items } = await page.getTextContent();
  if (items.length > textItemsMax) throw tooLarge('/decode', 'a page has too much text');
  const words = items.map((item) => wordOf(item as TextItem)).filter((word) => word !== undefined);
  return rowsOf(words).map(lineOf).join('\n');
}

async function readPages(bytes: Buffer): Promise<string[]> {
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
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      pages.push(await pageText(await document.getPage(number)));
    }
    return pages;
  } finally {
    await task.destroy();
  }
}

/** The text layer of a PDF as lines, with `\f` between pages. Scanned receipts have no text and are rejected. */
export async function decodePdf(bytes: Buffer, options: DecodeOptions<'pdf'>): Promise<Part[]> {
  let pages: string[];
  try {
    pages = await readPages(bytes);
  } catch (error) {
    if (error instanceof Error && error.name === 'ConversionError') throw error;
    throw decodeFailed(`is not a readable PDF: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  const parts = partsOf(pages.join('\f'), options);
  if (parts.length === 0) throw decodeFailed('has no text layer');
  return parts;
}
