import { create } from 'qrcode';
import type { Weight } from './fonts';
import type { Parts } from './in-parts';
import { linesOf } from './line-breaks';
import { visualRuns } from './visual-runs';

export const pointsPerMm = 72 / 25.4;
const inkColour = '#16181d';
export const softColour = '#5c6370';
const lineColour = '#d9dce1';

/** Lengths in points. */
export interface Paper {
  readonly width: number;
  /** Undefined for a roll, which is as long as the receipt. */
  readonly height: number | undefined;
  readonly marginX: number;
  readonly marginY: number;
  /** The font size. */
  readonly size: number;
}

/** The part of the font size above the baseline. */
const ascent = 1.07;

/** The maximum page height of PDF readers: 200 inches. */
export const rollHeightMax = 14_400;

export interface Style {
  readonly weight?: Weight;
  readonly scale?: number;
  readonly colour?: string;
  /** Whether the text is struck through. */
  readonly isStruck?: boolean;
}

interface Row {
  readonly label: string;
  readonly amount: string;
}

/** What a QR code costs, in characters. */
const qrCost = 300;

/** Writes from top to bottom, on as many pages as needed, in parts of a line. */
export class Sheet {
  private y: number;
  /** The characters measured or drawn since the last line. */
  private cost = 0;
  private readonly pageHeight: number;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly paper: Paper,
    private readonly direction: 'ltr' | 'rtl',
  ) {
    this.y = paper.marginY;
    this.pageHeight = paper.height ?? rollHeightMax;
  }

  *centred(text: string, style: Style = {}): Parts<void> {
    for (const line of linesOf(text, (some) => this.widthOf(some, style) <= this.inner)) {
      const x = this.paper.marginX + (this.inner - this.widthOf(line, style)) / 2;
      yield this.line([{ text: line, x }], style);
    }
  }

  /** The label at the start of the line, the amount at its end; mirrored for right-to-left. */
  *row({ label, amount }: Row, style: Style = {}): Parts<void> {
    const { marginX, size } = this.paper;
    const amountWidth = this.widthOf(amount, style);
    const labelWidth = this.inner - amountWidth - size;
    const isRtl = this.direction === 'rtl';
    const texts = [{ text: amount, x: isRtl ? marginX : this.right - amountWidth }];
    for (const line of linesOf(label, (some) => this.widthOf(some, style) <= labelWidth)) {
      texts.push({ text: line, x: isRtl ? this.right - this.widthOf(line, style) : marginX });
      yield this.line(texts.splice(0), style);
    }
  }

  note(text: string): Parts<void> {
    return this.row({ label: text, amount: '' }, { scale: 0.9, colour: softColour });
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

  *qr(text: string): Parts<void> {
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
    yield qrCost;
  }

  /** Cuts a roll below what is written on it. */
  tearOff(): void {
    if (this.paper.height !== undefined) return;
    const { data } = this.doc.page.dictionary as unknown as { data: { MediaBox: readonly number[] } };
    const bottom = Math.max(0, this.pageHeight - this.y - this.paper.marginY - 1);
    data.MediaBox = [0, bottom, this.paper.width, this.pageHeight];
  }

  private get right(): number {
    return this.paper.width - this.paper.marginX;
  }

  private get inner(): number {
    return this.right - this.paper.marginX;
  }

  /** Draws texts beside each other. Returns the cost of what was done since the line before. */
  private line(texts: readonly { readonly text: string; readonly x: number }[], style: Style): number {
    const height = this.paper.size * (style.scale ?? 1) * 1.45;
    this.room(height);
    for (const { text, x } of texts) this.draw(text, x, style);
    this.y += height;
    const { cost } = this;
    this.cost = 0;
    return cost;
  }

  private room(height: number): void {
    if (this.y + height <= this.pageHeight - this.paper.marginY) return;
    this.doc.addPage({ size: [this.paper.width, this.pageHeight], margin: 0 });
    this.y = this.paper.marginY;
  }

  private useFont(font: string, { weight = 'regular', scale = 1 }: Style): void {
    this.doc.font(`${font}-${weight}`).fontSize(this.paper.size * scale);
  }

  /** Sets no colour, which would be written into the document. */
  private widthOf(text: string, style: Style): number {
    this.cost += text.length;
    return visualRuns(text).reduce((sum, run) => {
      this.useFont(run.font, style);
      return sum + this.doc.widthOfString(run.text);
    }, 0);
  }

  private draw(text: string, x: number, style: Style): void {
    this.cost += text.length;
    // Fonts have different ascents, so lines are aligned at the baseline.
    const baseline = this.y + this.paper.size * (style.scale ?? 1) * ascent;
    this.doc.fillColor(style.colour ?? inkColour);
    let at = x;
    for (const run of visualRuns(text)) {
      this.useFont(run.font, style);
      this.doc.text(run.text, at, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        strike: style.isStruck === true,
      });
      at += this.doc.widthOfString(run.text);
    }
  }
}
