import type PDFDocument from 'pdfkit';
import { rendered, type Steps } from '../in-steps';
import type { ReceiptView } from '../view/view';
import { FontChoice } from './font-choice';
import { loadFonts, type Fonts } from './fonts';
import { pointsPerMm, rollHeightMax, type Paper } from './paper';
import { Sheet } from './sheet';

export type PaperFormat = 'a4' | 'roll';

const papers: Readonly<Record<PaperFormat, Paper>> = {
  a4: { width: 210 * pointsPerMm, height: 297 * pointsPerMm, marginX: 130, marginY: 56, size: 10 },
  roll: { width: 80 * pointsPerMm, height: undefined, marginX: 11, marginY: 14, size: 8 },
};

/** What a document says about itself. */
interface DocumentFacts extends Pick<ReceiptView, 'locale' | 'ownLocale' | 'direction'> {
  readonly title: string;
  readonly author: string;
}

/**
 * Loaded with the first PDF, because it takes 15 MB including the font libraries, and most processes never write a PDF.
 */
const loadPdfkit = async (): Promise<typeof PDFDocument> => (await import('pdfkit')).default;

/** A document that screen readers can follow (PDF/UA, ISO 14289-1). */
async function documentOf(
  { locale, title, author }: DocumentFacts,
  paper: Paper,
  fonts: Fonts,
): Promise<PDFKit.PDFDocument> {
  const Document = await loadPdfkit();
  const doc = new Document({
    size: [paper.width, paper.height ?? rollHeightMax],
    margin: 0,
    lang: locale,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    subset: 'PDF/UA' as never,
    info: { Title: title, Author: author },
  });
  for (const { name, source } of fonts.sources) doc.registerFont(name, source);
  return doc;
}

interface WriteOptions {
  /** Ends the work; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** A file that is attached. */
  readonly file?: { readonly content: Buffer; readonly name: string; readonly type: string };
}

/** Writes a PDF with embedded fonts, on A4 or on a roll of 80 mm. */
export async function writePdf(
  facts: DocumentFacts,
  format: PaperFormat,
  write: (sheet: Sheet) => Steps<void>,
  { signal, file }: WriteOptions = {},
): Promise<Buffer> {
  const paper = papers[format];
  const fonts = await loadFonts();
  const doc = await documentOf(facts, paper, fonts);
  const chunks: Buffer[] = [];
  const written = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  const choice = new FontChoice(fonts, [facts.locale, facts.ownLocale]);
  const sheet = new Sheet(doc, { paper, direction: facts.direction, fonts: choice });
  const drawing = async () => {
    await rendered(write(sheet), signal);
    if (file) doc.file(file.content, { name: file.name, type: file.type });
    doc.end();
  };
  const [content] = await Promise.all([written, drawing()]);
  return content;
}
