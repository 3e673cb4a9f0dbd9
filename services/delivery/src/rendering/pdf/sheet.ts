import type { FontChoice } from './font-choice';
import type { Steps } from '../in-steps';
import { shownSize, type Logo } from '../images/logo';
import { linesOf } from './line-breaks';
import type { Drawing, Element, Figure, PlacedText, Row } from './drawing';
import { pointsPerPixel, rollHeightMax, type Paper } from './paper';
import { TextPen, type Style } from './text-pen';

export const softColour = '#5c6370';
const lineColour = '#d9dce1';

/** The cost of an image, in characters. */
const imageCost = 300;

const headingStyle: Style = { scale: 0.9, colour: softColour };
const noteStyle: Style = { scale: 0.9, colour: softColour };

interface SheetOptions {
  readonly paper: Paper;
  readonly direction: 'ltr' | 'rtl';
  readonly fonts: FontChoice;
}

/** Writes from top to bottom, on as many pages as needed, in parts of one line each. */
export class Sheet {
  private y: number;
  private readonly paper: Paper;
  private readonly isRtl: boolean;
  private readonly pageHeight: number;
  private readonly pen: TextPen;
  /** The element to which new elements are added. */
  private parent: Element;
  /** The drawings that are kept together on a page, until they are complete. */
  private block: Drawing[] | undefined;
  /** The heading of the table that is being written. */
  private heading: Drawing | undefined;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    { paper, direction, fonts }: SheetOptions,
  ) {
    this.paper = paper;
    this.isRtl = direction === 'rtl';
    this.y = paper.marginY;
    this.pageHeight = paper.height ?? rollHeightMax;
    this.pen = new TextPen(doc, fonts, paper.size);
    this.parent = doc.struct('Document');
    doc.addStructure(this.parent);
  }

  /** @param tag whether the text is a paragraph or the document heading */
  *centred(text: string, style: Style = {}, tag: 'H1' | 'P' = 'P'): Steps<void> {
    const element = this.doc.struct(style.href === undefined ? tag : 'Link');
    for (const line of linesOf(text, (some) => this.pen.widthOf(some, style) <= this.inner)) {
      const x = this.paper.marginX + (this.inner - this.pen.widthOf(line, style)) / 2;
      yield this.line([{ text: line, x, style, element }]);
    }
    this.add(() => (style.href === undefined ? element : this.doc.struct('P', {}, [element])));
  }

  /** @param heading the heading that is repeated on each page */
  *table(content: Steps<void>, heading?: Row): Steps<void> {
    const outer = this.parent;
    this.parent = this.doc.struct('Table');
    if (heading) {
      yield* this.row(heading, headingStyle, { tag: 'TH' });
      this.heading = this.repeated(heading);
    }
    yield* content;
    this.heading = undefined;
    const table = this.parent;
    this.parent = outer;
    this.add(() => table);
  }

  /**
   * Writes the label at the start of the line and the amount at its end; mirrored for right-to-left scripts. Notes are
   * written below the label.
   */
  *row(
    { label, amount }: Row,
    style: Style = {},
    { tag = 'TD', notes = [] }: { readonly tag?: 'TH' | 'TD'; readonly notes?: readonly string[] } = {},
  ): Steps<void> {
    const options = tag === 'TH' ? ({ scope: 'Column' } as const) : {};
    const first = this.doc.struct(tag, options);
    const second = this.doc.struct(tag, options);
    const amountWidth = this.pen.widthOf(amount, style);
    const end = this.isRtl ? this.paper.marginX : this.right - amountWidth;
    const texts: PlacedText[] = [{ text: amount, x: end, style, element: second }];
    const labelWidth = this.inner - amountWidth - this.paper.size;
    for (const line of linesOf(label, (some) => this.pen.widthOf(some, style) <= labelWidth)) {
      texts.unshift(this.atStart(line, style, first));
      yield this.line(texts.splice(0));
    }
    for (const note of notes) {
      for (const line of linesOf(note, (some) => this.pen.widthOf(some, noteStyle) <= this.inner)) {
        yield this.line([this.atStart(line, noteStyle, first)]);
      }
    }
    this.add(() => this.doc.struct('TR', {}, [first, second]));
  }

  /** Keeps the content on one page, unless it is longer than a page. */
  *together(content: Steps<void>): Steps<void> {
    const block: Drawing[] = [];
    this.block = block;
    yield* content;
    this.block = undefined;
    const height = block.reduce((sum, drawing) => sum + drawing.height, 0);
    if (height <= this.pageHeight - 2 * this.paper.marginY) this.makeRoom(height);
    for (const drawing of block) {
      this.put(drawing);
      yield this.pen.takeCost();
    }
  }

  gap(lines = 1): void {
    this.put({ height: this.paper.size * lines });
  }

  rule(): void {
    this.gap(0.6);
    const draw = () => {
      this.artifact('Layout', () =>
        this.doc
          .moveTo(this.paper.marginX, this.y)
          .lineTo(this.right, this.y)
          .lineWidth(0.5)
          .strokeColor(lineColour)
          .stroke(),
      );
    };
    this.put({ height: this.paper.size * 0.8, draw });
  }

  /** Draws a stripe across the top of the paper. */
  stripe(colour: string): void {
    this.artifact('Layout', () => this.doc.rect(0, 0, this.paper.width, this.paper.marginY / 4).fill(colour));
  }

  /** Draws a logo, which screen readers skip: the name of the brand follows it. */
  *picture(logo: Logo): Steps<void> {
    const size = shownSize(logo, pointsPerPixel);
    const x = this.paper.marginX + (this.inner - size.width) / 2;
    const draw = () => this.artifact('Layout', () => this.doc.image(logo.content, x, this.y, size));
    this.put({ height: size.height, draw });
    this.gap(0.6);
    yield imageCost;
  }

  /**
   * Draws a figure in the middle.
   * @param alt the text for screen readers
   * @param paint draws at a position, in points
   */
  *figure(
    alt: string,
    { width, height, href }: Figure,
    paint: (doc: PDFKit.PDFDocument, place: { left: number; top: number }) => void,
  ): Steps<void> {
    const left = this.paper.marginX + (this.inner - width) / 2;
    const outer = this.doc.struct(href === undefined ? 'Span' : 'Link', { alt });
    const draw = () => {
      const figure = this.doc.struct('Figure', { alt });
      figure.add(this.doc.markStructureContent('Figure'));
      paint(this.doc, { left, top: this.y });
      this.doc.endMarkedContent();
      outer.add(figure);
      const options = { structParent: outer, Contents: new String(alt) as string };
      if (href !== undefined) this.doc.link(left, this.y, width, height, href, options);
    };
    this.put({ height, draw });
    this.add(() => this.doc.struct('P', {}, [outer]));
    yield imageCost;
  }

  /** Cuts a roll below its content, and numbers the pages of other paper. */
  finish(): void {
    if (this.paper.height === undefined) {
      const { data } = this.doc.page.dictionary as unknown as { data: { MediaBox: readonly number[] } };
      const bottom = Math.max(0, this.pageHeight - this.y - this.paper.marginY - 1);
      data.MediaBox = [0, bottom, this.paper.width, this.pageHeight];
      return;
    }
    const { count } = this.doc.bufferedPageRange();
    for (let page = 0; count > 1 && page < count; page++) {
      this.doc.switchToPage(page);
      const text = `${page + 1} / ${count}`;
      const x = this.paper.marginX + (this.inner - this.pen.widthOf(text, noteStyle)) / 2;
      const y = this.pageHeight - this.paper.marginY * 0.75;
      this.artifact('Pagination', () => this.pen.draw(text, x, y, noteStyle));
    }
  }

  private get right(): number {
    return this.paper.width - this.paper.marginX;
  }

  private get inner(): number {
    return this.right - this.paper.marginX;
  }

  private atStart(text: string, style: Style, element?: Element): PlacedText {
    const x = this.isRtl ? this.right - this.pen.widthOf(text, style) : this.paper.marginX;
    return { text, x, style, ...(element && { element }) };
  }

  /** Draws the heading of a table on further pages; screen readers do not repeat it. */
  private repeated({ label, amount }: Row): Drawing {
    const width = this.pen.widthOf(amount, headingStyle);
    const start = this.atStart(label, headingStyle);
    const end = this.isRtl ? this.paper.marginX : this.right - width;
    const draw = () => {
      this.artifact('Pagination', () => {
        this.pen.draw(start.text, start.x, this.y, headingStyle);
        this.pen.draw(amount, end, this.y, headingStyle);
      });
    };
    return { height: this.pen.heightOf(headingStyle), draw };
  }

  /** Draws texts next to each other. Returns the cost since the previous line. */
  private line(texts: readonly PlacedText[]): number {
    const draw = () => {
      for (const one of texts) this.drawText(one);
    };
    this.put({ height: Math.max(...texts.map(({ style }) => this.pen.heightOf(style))), draw });
    return this.pen.takeCost();
  }

  private drawText({ text, x, style, element }: PlacedText): void {
    if (text === '') return;
    const content = this.doc.markStructureContent('Span');
    this.pen.draw(text, x, this.y, style);
    this.doc.endMarkedContent();
    element?.add(content);
    if (style.href === undefined || !element) return;
    const [width, height] = [this.pen.widthOf(text, style), this.pen.heightOf(style)];
    const options = { structParent: element, Contents: new String(text) as string };
    this.doc.link(x, this.y, width, height, style.href, options);
  }

  /** Adds an element to the document's structure once its content has been drawn. */
  private add(create: () => Element): void {
    const { parent } = this;
    const draw = () => {
      const element = create();
      // From here on, the element takes up no memory.
      element.end();
      parent.add(element);
    };
    this.put({ height: 0, draw });
  }

  private put(drawing: Drawing): void {
    if (this.block) {
      this.block.push(drawing);
      return;
    }
    if (drawing.draw && drawing.height > 0) this.makeRoom(drawing.height);
    drawing.draw?.();
    this.y += drawing.height;
  }

  private makeRoom(height: number): void {
    if (this.y + height <= this.pageHeight - this.paper.marginY) return;
    this.doc.addPage({ size: [this.paper.width, this.pageHeight], margin: 0 });
    this.y = this.paper.marginY;
    if (this.heading) {
      this.heading.draw?.();
      this.y += this.heading.height;
    }
  }

  /** Draws content that screen readers skip. */
  private artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.doc.markContent('Artifact', { type });
    draw();
    this.doc.endMarkedContent();
  }
}
