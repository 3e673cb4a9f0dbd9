import type { FontChoice } from './font-choice';
import type { FontName, Weight } from './font-files';
import { visualRuns, type Run } from './visual-runs';

const inkColour = '#16181d';

/** The distance from the top of a line to its baseline, as a multiple of the font size. */
const ascent = 1.07;

/** Text that is drawn is also measured, both here and by pdfkit. */
const drawingCost = 3;

/** Letters that are joined, stacked or reordered take several times as long as Latin ones. */
const otherFontCost = 3;

export interface Style {
  readonly weight?: Weight;
  readonly scale?: number;
  readonly colour?: string;
  /** Whether the text is struck through. */
  readonly isStruck?: boolean;
  /** The target of the link. */
  readonly href?: string;
}

/** Measures and draws single lines of text in a document. */
export class TextPen {
  /** The cost of measuring and drawing since the last `takeCost`. The unit is the cost of measuring one Latin letter. */
  private cost = 0;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly fonts: FontChoice,
    /** The font size in points. */
    private readonly size: number,
  ) {}

  takeCost(): number {
    const cost = this.cost;
    this.cost = 0;
    return cost;
  }

  heightOf({ scale = 1 }: Style): number {
    return this.size * scale * 1.45;
  }

  /** Sets no colour, because a colour would be written into the document. */
  widthOf(text: string, style: Style): number {
    return visualRuns(text, this.fonts).reduce((sum, run) => {
      this.count(run);
      this.useFont(run.font, style);
      return sum + this.doc.widthOfString(run.text);
    }, 0);
  }

  /** Draws a text with its upper left corner at a point. */
  draw(text: string, x: number, y: number, style: Style): void {
    // Fonts have different ascents, so lines are aligned at the baseline.
    const baseline = y + this.size * (style.scale ?? 1) * ascent;
    this.doc.fillColor(style.colour ?? inkColour);
    let at = x;
    for (const run of visualRuns(text, this.fonts)) {
      this.count(run, drawingCost);
      this.useFont(run.font, style);
      if (run.actual !== undefined) this.doc.markContent('Span', { actual: run.actual });
      this.doc.text(run.text, at, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        strike: style.isStruck === true,
      });
      if (run.actual !== undefined) this.endActual();
      at += this.doc.widthOfString(run.text);
    }
  }

  private count({ text, font }: Run, cost = 1): void {
    this.cost += text.length * cost * (font === 'latin' ? 1 : otherFontCost);
  }

  /**
   * Programs such as pdftotext derive the position of the text from the state at the end of its marked content. The
   * marked content therefore ends in the coordinate system of the text, with an empty text in its font.
   */
  private endActual(): void {
    const { id } = (this.doc as unknown as { _font: { readonly id: string } })._font;
    this.doc.save().transform(1, 0, 0, -1, 0, this.doc.page.height);
    this.doc.addContent(`BT /${id} ${this.size} Tf () Tj ET`).endMarkedContent().restore();
  }

  private useFont(font: FontName, { weight = 'regular', scale = 1 }: Style): void {
    this.doc.font(`${font}-${weight}`).fontSize(this.size * scale);
  }
}
