import type PDFDocument from 'pdfkit';
import { create } from 'qrcode';
import { fontSource, fontNames, type Weight } from './fonts';
import { visualRuns } from './visual-runs';
import type { Line, ReceiptView } from './view';

export type PaperFormat = 'a4' | 'roll';

const pointsPerMm = 72 / 25.4;
const inkColour = '#16181d';
const softColour = '#5c6370';
const lineColour = '#d9dce1';

interface Paper {
  readonly width: number;
  /** Undefined for a roll, which is as long as the receipt. */
  readonly height: number | undefined;
  readonly marginX: number;
  readonly marginY: number;
  readonly size: number;
}

const papers: Readonly<Record<PaperFormat, Paper>> = {
  a4: { width: 210 * pointsPerMm, height: 297 * pointsPerMm, marginX: 130, marginY: 56, size: 10 },
  roll: { width: 80 * pointsPerMm, height: undefined, marginX: 11, marginY: 14, size: 8 },
};

/** The part of the font size above the baseline. */
const ascent = 1.07;

/** The maximum page height of PDF readers: 200 inches. */
const rollHeightMax = 14_400;

interface Style {
  readonly weight?: Weight;
  readonly scale?: number;
  readonly colour?: string;
}

/** Writes a receipt from top to bottom. A roll is drawn twice, the first time to measure its length. */
class Sheet {
  y: number;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly paper: Paper,
    private readonly view: ReceiptView,
    private readonly pageHeight: number,
  ) {
    this.y = paper.marginY;
  }

  private get right(): number {
    return this.paper.width - this.paper.marginX;
  }

  private get inner(): number {
    return this.right - this.paper.marginX;
  }

  private use(font: string, { weight = 'regular', scale = 1, colour = inkColour }: Style): void {
    this.doc
      .font(`${font}-${weight}`)
      .fontSize(this.paper.size * scale)
      .fillColor(colour);
  }

  private widthOf(text: string, style: Style): number {
    return visualRuns(text).reduce((sum, run) => {
      this.use(run.font, style);
      return sum + this.doc.widthOfString(run.text);
    }, 0);
  }

  private room(height: number): void {
    if (this.y + height <= this.pageHeight - this.paper.marginY) return;
    this.doc.addPage({ size: [this.paper.width, this.pageHeight], margin: 0 });
    this.y = this.paper.marginY;
  }

  private heightOf({ scale = 1 }: Style): number {
    return this.paper.size * scale * 1.45;
  }

  private draw(text: string, x: number, style: Style): void {
    // Fonts have different ascents, so lines are aligned at the baseline.
    const baseline = this.y + this.paper.size * (style.scale ?? 1) * ascent;
    let at = x;
    for (const run of visualRuns(text)) {
      this.use(run.font, style);
      this.doc.text(run.text, at, baseline, { lineBreak: false, baseline: 'alphabetic' });
      at += this.doc.widthOfString(run.text);
    }
  }

  /** Breaks lines between words, and inside a word that is wider than the column. */
  private wrap(text: string, width: number, style: Style): readonly string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ').flatMap((one) => this.cut(one, width, style))) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && this.widthOf(longer, style) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  }

  private cut(word: string, width: number, style: Style): readonly string[] {
    if (this.widthOf(word, style) <= width) return [word];
    const parts: string[] = [];
    let part = '';
    for (const character of word) {
      if (part !== '' && this.widthOf(part + character, style) > width) {
        parts.push(part);
        part = '';
      }
      part += character;
    }
    return [...parts, part];
  }

  centred(text: string, style: Style = {}): void {
    for (const line of this.wrap(text, this.inner, style)) {
      this.room(this.heightOf(style));
      this.draw(line, this.paper.marginX + (this.inner - this.widthOf(line, style)) / 2, style);
      this.y += this.heightOf(style);
    }
  }

  /** The label at the start of the line, the amount at its end; mirrored for right-to-left. */
  row({ label, amount }: Line, style: Style = {}): void {
    const amountWidth = this.widthOf(amount, style);
    const lines = this.wrap(label, this.inner - amountWidth - this.paper.size, style);
    const isRtl = this.view.direction === 'rtl';
    lines.forEach((line, index) => {
      this.room(this.heightOf(style));
      if (index === 0) this.draw(amount, isRtl ? this.paper.marginX : this.right - amountWidth, style);
      this.draw(line, isRtl ? this.right - this.widthOf(line, style) : this.paper.marginX, style);
      this.y += this.heightOf(style);
    });
  }

  note(text: string): void {
    this.row({ label: text, amount: '' }, { scale: 0.9, colour: softColour });
  }

  gap(lines = 1): void {
    this.y += this.paper.size * lines;
  }

  rule(): void {
    this.gap(0.6);
    this.room(this.paper.size);
    this.doc
      .moveTo(this.paper.marginX, this.y)
      .lineTo(this.right, this.y)
      .lineWidth(0.5)
      .strokeColor(lineColour)
      .stroke();
    this.gap(0.8);
  }

  qr(text: string): void {
    const { modules } = create(text, { errorCorrectionLevel: 'M' });
    const side = 25 * pointsPerMm;
    const cell = side / modules.size;
    this.room(side);
    const left = this.paper.marginX + (this.inner - side) / 2;
    this.doc.fillColor('#000');
    for (let r = 0; r < modules.size; r++) {
      for (let c = 0; c < modules.size; c++) {
        if (modules.get(r, c)) this.doc.rect(left + c * cell, this.y + r * cell, cell + 0.05, cell + 0.05);
      }
    }
    this.doc.fill();
    this.y += side;
  }
}

/** The number of items that are written before other requests get a turn. */
const itemsAtOnce = 25;
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function write(sheet: Sheet, view: ReceiptView, address: string): Promise<void> {
  const { brand, labels } = view;
  sheet.centred(brand.name, { weight: 'bold', scale: 1.5 });
  for (const line of [...brand.header, ...view.store]) sheet.centred(line, { colour: softColour });
  sheet.gap();
  sheet.centred(view.total.amount, { weight: 'bold', scale: 2.4 });
  sheet.centred(view.date, { colour: softColour });
  if (view.isCopy) sheet.centred(labels.copy, { weight: 'bold' });
  if (view.isIncomplete) sheet.centred(labels.incomplete, { colour: softColour });
  sheet.rule();
  for (const [index, item] of view.items.entries()) {
    if (index % itemsAtOnce === itemsAtOnce - 1) await turn();
    sheet.row({ label: item.name, amount: item.total });
    const isPlain = item.quantity === '1' && item.unitPrice === null;
    if (!isPlain)
      sheet.note(item.unitPrice === null ? item.quantity : `${item.quantity} × ${item.unitPrice}`);
    for (const detail of item.details) sheet.note(detail);
    for (const discount of item.discounts) sheet.row(discount, { scale: 0.9, colour: softColour });
    if (item.returned !== null) sheet.note(item.returned);
    sheet.gap(0.3);
  }
  sheet.rule();
  for (const line of view.sums) sheet.row(line);
  sheet.row(view.total, { weight: 'bold', scale: 1.2 });
  for (const line of view.taxes) sheet.row(line, { scale: 0.9, colour: softColour });
  if (view.payments.length > 0) sheet.rule();
  for (const { details, ...line } of view.payments) {
    sheet.row(line);
    for (const detail of details) sheet.note(detail);
  }
  sheet.rule();
  for (const { label, value } of view.facts) sheet.row({ label, amount: value }, { scale: 0.9 });
  sheet.gap();
  sheet.qr(address);
  sheet.gap();
  for (const line of brand.footer) sheet.centred(line, { scale: 0.9, colour: softColour });
}

/** Loaded with the first PDF: it takes 15 MB including the font libraries, and most processes never write one. */
const loadPdfkit = async (): Promise<typeof PDFDocument> => (await import('pdfkit')).default;

async function documentOf(view: ReceiptView, paper: Paper, height: number): Promise<PDFKit.PDFDocument> {
  const Document = await loadPdfkit();
  const doc = new Document({
    size: [paper.width, height],
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

/** The length of a roll is measured by writing everything on one of unlimited length. */
async function rollHeight(view: ReceiptView, paper: Paper, address: string): Promise<number> {
  const sheet = new Sheet(await documentOf(view, paper, rollHeightMax), paper, view, rollHeightMax);
  await write(sheet, view, address);
  return Math.min(rollHeightMax, sheet.y + paper.marginY + 1);
}

/**
 * A receipt as a PDF with embedded fonts, on A4 or on a roll of 80 mm.
 * @param address the URL of the receipt's page, for the QR code
 */
export async function pdfOf(view: ReceiptView, format: PaperFormat, address: string): Promise<Buffer> {
  const paper = papers[format];
  const height = paper.height ?? (await rollHeight(view, paper, address));
  const doc = await documentOf(view, paper, height);
  const chunks: Buffer[] = [];
  const written = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  await write(new Sheet(doc, paper, view, height), view, address);
  doc.end();
  return written;
}
