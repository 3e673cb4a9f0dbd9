import type PDFDocument from 'pdfkit';
import { attachmentHref } from '@receipts/contracts';
import { FontChoice } from './font-choice';
import { loadFonts, type Fonts } from './fonts';
import { rendered, type Parts } from '../in-parts';
import type { Logo } from '../images/logo';
import { pointsPerMm, rollHeightMax, type Paper } from './paper';
import { fitsQr } from '../images/qr';
import { Sheet, softColour } from './sheet';
import type { Style } from './text-pen';
import { clean } from '../view/text';
import type { ItemView, ReceiptView } from '../view/view';
import { shortened } from './long-texts';

const namePattern = /[^A-Za-z0-9._-]+/g;
const nameCharactersMax = 64;

/** The file name of a receipt, which contains its transaction id. */
export function fileName(transactionId: string, extension: 'pdf' | 'pkpass' = 'pdf'): string {
  const name = clean(transactionId).replace(namePattern, '-').slice(0, nameCharactersMax);
  return `${name || 'receipt'}.${extension}`;
}

export type PaperFormat = 'a4' | 'roll';

const papers: Readonly<Record<PaperFormat, Paper>> = {
  a4: { width: 210 * pointsPerMm, height: 297 * pointsPerMm, marginX: 130, marginY: 56, size: 10 },
  roll: { width: 80 * pointsPerMm, height: undefined, marginX: 11, marginY: 14, size: 8 },
};

const soft: Style = { colour: softColour };
const small: Style = { scale: 0.9, colour: softColour };

function* header(sheet: Sheet, view: ReceiptView, logo: Logo | undefined): Parts<void> {
  const { brand, store, total, date, labels, isVoided } = view;
  if (brand.colour !== null) sheet.stripe(brand.colour);
  if (logo) yield* sheet.picture(logo);
  yield* sheet.centred(brand.name, { weight: 'bold', scale: 1.5 }, 'H1');
  for (const line of brand.header) yield* sheet.centred(line, soft);
  for (const { text, href } of store) yield* sheet.centred(text, { ...soft, ...(href !== null && { href }) });
  sheet.gap();
  yield* sheet.centred(total.amount, { weight: 'bold', scale: 2.4, isStruck: isVoided });
  yield* sheet.centred(date, soft);
  if (isVoided) yield* sheet.centred(labels.voided, { weight: 'bold' });
  if (view.isCopy) yield* sheet.centred(labels.copy, { weight: 'bold' });
  if (view.isIncomplete) yield* sheet.centred(labels.incomplete, soft);
  sheet.rule();
}

function* item(sheet: Sheet, one: ItemView, style: Style): Parts<void> {
  const { name, amounts, total, details, discounts, returned } = one;
  const notes = [...(amounts === null ? [] : [amounts]), ...details];
  yield* sheet.row({ label: name, amount: total }, style, { notes });
  for (const discount of discounts) yield* sheet.row(discount, small);
  if (returned !== null) yield* sheet.row({ label: returned, amount: '' }, small);
  sheet.gap(0.3);
}

function* items(sheet: Sheet, view: ReceiptView, style: Style): Parts<void> {
  for (const one of view.items) yield* sheet.together(item(sheet, one, style));
}

function* sums(sheet: Sheet, view: ReceiptView, style: Style): Parts<void> {
  for (const line of view.sums) yield* sheet.row(line, style);
  yield* sheet.row(view.total, { weight: 'bold', scale: 1.2, ...style });
  for (const line of view.taxes) yield* sheet.row(line, small);
}

function* payments(sheet: Sheet, view: ReceiptView, style: Style): Parts<void> {
  for (const { details, ...line } of view.payments) yield* sheet.row(line, style, { notes: details });
}

function* facts(sheet: Sheet, view: ReceiptView): Parts<void> {
  for (const { label, value } of view.facts) yield* sheet.row({ label, amount: value }, { scale: 0.9 });
}

/** Codes of fiscal devices have hundreds of characters, so their squares would be too small on the usual side. */
const fiscalMm = 40;

function* fiscal(sheet: Sheet, { fiscal: { texts, code }, labels }: ReceiptView): Parts<void> {
  for (const text of texts) yield* sheet.centred(text, small);
  if (code === null) return;
  sheet.gap();
  if (fitsQr(code)) yield* sheet.qr(code, labels.fiscalCode, { isLink: false, sideMm: fiscalMm });
  else yield* sheet.centred(code, small);
}

function* footer(sheet: Sheet, { brand, labels, attachments }: ReceiptView, address: string): Parts<void> {
  sheet.gap();
  yield* sheet.qr(address, labels.scan);
  sheet.gap();
  for (const { label, name } of attachments) {
    yield* sheet.centred(name, { ...small, href: attachmentHref(address, label) });
  }
  for (const line of brand.footer) yield* sheet.centred(line, small);
  for (const { name, href } of brand.links) yield* sheet.centred(name, { ...small, href });
}

function* write(sheet: Sheet, view: ReceiptView, address: string, logo?: Logo): Parts<void> {
  const { labels } = view;
  const style = { isStruck: view.isVoided };
  yield* header(sheet, view, logo);
  yield* sheet.table(items(sheet, view, style), { label: labels.items, amount: labels.amount });
  sheet.rule();
  yield* sheet.together(sheet.table(sums(sheet, view, style)));
  if (view.payments.length > 0) {
    sheet.rule();
    yield* sheet.table(payments(sheet, view, style));
  }
  sheet.rule();
  yield* sheet.table(facts(sheet, view));
  yield* sheet.together(fiscal(sheet, view));
  yield* sheet.together(footer(sheet, view, address));
  sheet.finish();
}

/**
 * Loaded with the first PDF, because it takes 15 MB including the font libraries, and most processes never write a PDF.
 */
const loadPdfkit = async (): Promise<typeof PDFDocument> => (await import('pdfkit')).default;

/** A document that screen readers can follow (PDF/UA, ISO 14289-1). */
async function documentOf(view: ReceiptView, paper: Paper, fonts: Fonts): Promise<PDFKit.PDFDocument> {
  const Document = await loadPdfkit();
  const doc = new Document({
    size: [paper.width, paper.height ?? rollHeightMax],
    margin: 0,
    lang: view.locale,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    subset: 'PDF/UA' as never,
    info: { Title: `${view.labels.receipt} ${view.number}`, Author: view.brand.name },
  });
  for (const { name, source } of fonts.sources) doc.registerFont(name, source);
  return doc;
}

export interface PdfOptions {
  /** Ends the work; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** The receipt's proof, which is attached as a file. */
  readonly proof?: string;
  readonly logo?: Logo | undefined;
}

/**
 * A receipt as a PDF with embedded fonts, on A4 or on a roll of 80 mm.
 * @param address the URL of the receipt's page, for the QR code
 */
export async function pdfOf(
  view: ReceiptView,
  format: PaperFormat,
  address: string,
  { signal, proof, logo }: PdfOptions = {},
): Promise<Buffer> {
  const paper = papers[format];
  const fonts = await loadFonts();
  const doc = await documentOf(view, paper, fonts);
  const chunks: Buffer[] = [];
  const written = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  const choice = new FontChoice(fonts, [view.locale, view.ownLocale]);
  const sheet = new Sheet(doc, { paper, direction: view.direction, fonts: choice });
  const drawing = async () => {
    await rendered(write(sheet, shortened(view), address, logo), signal);
    if (proof !== undefined) {
      doc.file(Buffer.from(proof), { name: 'receipt.jws', type: 'application/jose' });
    }
    doc.end();
  };
  const [content] = await Promise.all([written, drawing()]);
  return content;
}
