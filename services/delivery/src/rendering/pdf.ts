import type PDFDocument from 'pdfkit';
import { fontSource, fontNames } from './fonts';
import { rendered, type Parts } from './in-parts';
import { pointsPerMm, rollHeightMax, Sheet, softColour, type Paper, type Style } from './sheet';
import type { ItemView, ReceiptView } from './view';

export type PaperFormat = 'a4' | 'roll';

const papers: Readonly<Record<PaperFormat, Paper>> = {
  a4: { width: 210 * pointsPerMm, height: 297 * pointsPerMm, marginX: 130, marginY: 56, size: 10 },
  roll: { width: 80 * pointsPerMm, height: undefined, marginX: 11, marginY: 14, size: 8 },
};

function* header(
  sheet: Sheet,
  { brand, store, total, date, isCopy, isIncomplete, isVoided, labels }: ReceiptView,
): Parts<void> {
  yield* sheet.centred(brand.name, { weight: 'bold', scale: 1.5 });
  for (const line of [...brand.header, ...store]) yield* sheet.centred(line, { colour: softColour });
  sheet.gap();
  yield* sheet.centred(total.amount, { weight: 'bold', scale: 2.4, isStruck: isVoided });
  yield* sheet.centred(date, { colour: softColour });
  if (isVoided) yield* sheet.centred(labels.voided, { weight: 'bold' });
  if (isCopy) yield* sheet.centred(labels.copy, { weight: 'bold' });
  if (isIncomplete) yield* sheet.centred(labels.incomplete, { colour: softColour });
  sheet.rule();
}

function* item(
  sheet: Sheet,
  { name, quantity, unitPrice, total, details, discounts, returned }: ItemView,
  style: Style,
): Parts<void> {
  yield* sheet.row({ label: name, amount: total }, style);
  const isPlain = quantity === '1' && unitPrice === null;
  if (!isPlain) yield* sheet.note(unitPrice === null ? quantity : `${quantity} × ${unitPrice}`);
  for (const detail of details) yield* sheet.note(detail);
  for (const discount of discounts) yield* sheet.row(discount, { scale: 0.9, colour: softColour });
  if (returned !== null) yield* sheet.note(returned);
  sheet.gap(0.3);
}

function* write(sheet: Sheet, view: ReceiptView, address: string): Parts<void> {
  yield* header(sheet, view);
  const style = { isStruck: view.isVoided };
  for (const one of view.items) yield* item(sheet, one, style);
  sheet.rule();
  for (const line of view.sums) yield* sheet.row(line, style);
  yield* sheet.row(view.total, { weight: 'bold', scale: 1.2, ...style });
  for (const line of view.taxes) yield* sheet.row(line, { scale: 0.9, colour: softColour });
  if (view.payments.length > 0) sheet.rule();
  for (const { details, ...line } of view.payments) {
    yield* sheet.row(line, style);
    for (const detail of details) yield* sheet.note(detail);
  }
  sheet.rule();
  for (const { label, value } of view.facts) yield* sheet.row({ label, amount: value }, { scale: 0.9 });
  sheet.gap();
  yield* sheet.qr(address);
  sheet.gap();
  for (const line of view.brand.footer) yield* sheet.centred(line, { scale: 0.9, colour: softColour });
  sheet.tearOff();
}

/** Loaded with the first PDF: it takes 15 MB including the font libraries, and most processes never write one. */
const loadPdfkit = async (): Promise<typeof PDFDocument> => (await import('pdfkit')).default;

async function documentOf(view: ReceiptView, paper: Paper): Promise<PDFKit.PDFDocument> {
  const Document = await loadPdfkit();
  const doc = new Document({
    size: [paper.width, paper.height ?? rollHeightMax],
    margin: 0,
    lang: view.locale,
    info: { Title: `${view.labels.receipt} ${view.number}`, Author: view.brand.name },
  });
  for (const name of fontNames) {
    for (const weight of ['regular', 'bold'] as const)
      doc.registerFont(`${name}-${weight}`, await fontSource(name, weight));
  }
  return doc;
}

/**
 * A receipt as a PDF with embedded fonts, on A4 or on a roll of 80 mm.
 * @param address the URL of the receipt's page, for the QR code
 * @param signal ends the work; its reason is thrown
 * @param proof the receipt's proof, which is attached as a file
 */
export async function pdfOf(
  view: ReceiptView,
  format: PaperFormat,
  address: string,
  signal?: AbortSignal,
  proof?: string,
): Promise<Buffer> {
  const paper = papers[format];
  const doc = await documentOf(view, paper);
  const chunks: Buffer[] = [];
  const written = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  await rendered(write(new Sheet(doc, paper, view.direction), view, address), signal);
  if (proof !== undefined) {
    doc.file(Buffer.from(proof), { name: 'receipt.jws', type: 'application/jose' });
  }
  doc.end();
  return written;
}
