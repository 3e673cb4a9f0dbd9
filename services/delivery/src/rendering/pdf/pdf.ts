import { attachmentHref } from '@receipts/contracts';
import type { Steps } from '../in-steps';
import type { Logo } from '../images/logo';
import { pointsPerMm } from './paper';
import { drawQr, fitsQr } from '../images/qr';
import { softColour, type Sheet } from './sheet';
import type { Style } from './text-pen';
import { clean } from '../view/text';
import type { ItemView, ReceiptView } from '../view/view';
import { shortened } from './long-texts';
import { writePdf, type PaperFormat } from './write-pdf';

const namePattern = /[^A-Za-z0-9._-]+/g;
const nameCharactersMax = 64;

/** The file name of a receipt, which contains its transaction id. */
export function fileName(transactionId: string, extension: 'pdf' | 'pkpass' = 'pdf'): string {
  const name = clean(transactionId).replace(namePattern, '-').slice(0, nameCharactersMax);
  return `${name || 'receipt'}.${extension}`;
}

const soft: Style = { colour: softColour };
const small: Style = { scale: 0.9, colour: softColour };

function* header(sheet: Sheet, view: ReceiptView, logo: Logo | undefined): Steps<void> {
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

function* item(sheet: Sheet, one: ItemView, style: Style): Steps<void> {
  const { name, amounts, total, details, discounts, returned } = one;
  const notes = [...(amounts === null ? [] : [amounts]), ...details];
  yield* sheet.row({ label: name, amount: total }, style, { notes });
  for (const discount of discounts) yield* sheet.row(discount, small);
  if (returned !== null) yield* sheet.row({ label: returned, amount: '' }, small);
  sheet.gap(0.3);
}

function* items(sheet: Sheet, view: ReceiptView, style: Style): Steps<void> {
  for (const one of view.items) yield* sheet.together(item(sheet, one, style));
}

function* sums(sheet: Sheet, view: ReceiptView, style: Style): Steps<void> {
  for (const line of view.sums) yield* sheet.row(line, style);
  yield* sheet.row(view.total, { weight: 'bold', scale: 1.2, ...style });
  for (const line of view.taxes) yield* sheet.row(line, small);
}

function* payments(sheet: Sheet, view: ReceiptView, style: Style): Steps<void> {
  for (const { details, ...line } of view.payments) yield* sheet.row(line, style, { notes: details });
}

function* facts(sheet: Sheet, view: ReceiptView): Steps<void> {
  for (const { label, value } of view.facts) yield* sheet.row({ label, amount: value }, { scale: 0.9 });
}

function qr(
  sheet: Sheet,
  content: string,
  alt: string,
  { sideMm, ...link }: { readonly sideMm: number; readonly href?: string },
): Steps<void> {
  const side = sideMm * pointsPerMm;
  return sheet.figure(alt, { width: side, height: side, ...link }, (doc, place) =>
    drawQr(doc, content, { ...place, side }),
  );
}

const linkMm = 25;
/** Codes of fiscal devices have hundreds of characters, so their squares would be too small on the usual side. */
const fiscalMm = 40;

function* fiscal(sheet: Sheet, { fiscal: { texts, code }, labels }: ReceiptView): Steps<void> {
  for (const text of texts) yield* sheet.centred(text, small);
  if (code === null) return;
  sheet.gap();
  if (fitsQr(code)) yield* qr(sheet, code, labels.fiscalCode, { sideMm: fiscalMm });
  else yield* sheet.centred(code, small);
}

function* footer(sheet: Sheet, { brand, labels, attachments }: ReceiptView, address: string): Steps<void> {
  sheet.gap();
  yield* qr(sheet, address, labels.scan, { sideMm: linkMm, href: address });
  sheet.gap();
  for (const { label, name } of attachments) {
    yield* sheet.centred(name, { ...small, href: attachmentHref(address, label) });
  }
  for (const line of brand.footer) yield* sheet.centred(line, small);
  for (const { name, href } of brand.links) yield* sheet.centred(name, { ...small, href });
}

/** The end of a receipt, on one page, so that no page shows a QR code alone. */
function* end(sheet: Sheet, view: ReceiptView, address: string): Steps<void> {
  sheet.rule();
  yield* sheet.table(facts(sheet, view));
  yield* fiscal(sheet, view);
  yield* footer(sheet, view, address);
}

function* write(sheet: Sheet, view: ReceiptView, address: string, logo?: Logo): Steps<void> {
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
  yield* sheet.together(end(sheet, view, address));
  sheet.finish();
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
export function pdfOf(
  view: ReceiptView,
  format: PaperFormat,
  address: string,
  { proof, logo, ...options }: PdfOptions = {},
): Promise<Buffer> {
  const document = { ...view, title: `${view.labels.receipt} ${view.number}`, author: view.brand.name };
  return writePdf(document, format, (sheet) => write(sheet, shortened(view), address, logo), {
    ...options,
    ...(proof !== undefined && {
      file: { content: Buffer.from(proof), name: 'receipt.jws', type: 'application/jose' },
    }),
  });
}
