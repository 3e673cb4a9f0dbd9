import { decodeFailed } from '../faults/conversion-fault';
import type { DecodeOptions, Part } from '../decoded/decoded';
import { defaultCodePage, printEscpos } from './escpos';
import { Paper } from './page/paper';
import { CharacterSets } from './printers/character-sets';
import { cellsOf } from './printers/code-page';
import { addEposBarcode, addEposSymbol } from './printers/codes';
import { readOrderedXml } from './xml';
import type { XmlElement } from './xml-elements';

const fontCells: Readonly<Record<string, number>> = { font_a: 1, font_b: 0.75, font_c: 0.75, font_d: 0.75 };
const directions: Readonly<Record<string, number>> = {
  left_to_right: 0,
  bottom_to_top: 1,
  right_to_left: 2,
  top_to_bottom: 3,
};

type Attributes = XmlElement['attributes'];
const numberIn = (attributes: Attributes, name: string, otherwise = 0): number => {
  const value = Number(attributes[name]);
  return attributes[name] === undefined || !Number.isFinite(value) ? otherwise : value;
};
const isTrue = (value: string | undefined): boolean => value === 'true' || value === '1';

/** Prints the elements of an ePOS-Print document. Attributes of a text hold until another text changes them. */
class EposPrinter {
  private fontCell = 1;
  private widthFactor = 1;
  private readonly openSets = CharacterSets.of({ codepage: defaultCodePage, printer: 'epson' });

  constructor(readonly paper: Paper) {}

  run(element: XmlElement): void {
    elements[element.name]?.(this, element);
  }

  command(bytes: Buffer): void {
    printEscpos(bytes, this.paper, this.openSets());
  }

  reset(): void {
    this.paper.cancel();
    this.fontCell = 1;
    this.widthFactor = 1;
  }

  page(children: readonly XmlElement[]): void {
    this.paper.enterPageMode();
    for (const child of children) this.run(child);
    this.paper.printPage();
    this.paper.leavePageMode();
  }

  feed(attributes: Attributes): void {
    if (attributes['unit'] !== undefined) this.paper.feedDots(numberIn(attributes, 'unit'));
    else this.paper.feed(numberIn(attributes, 'line', 1));
  }

  moveTo(attributes: Attributes): void {
    if (attributes['x'] !== undefined) this.paper.moveToDots(numberIn(attributes, 'x'));
    if (attributes['y'] !== undefined) this.paper.moveDownTo(numberIn(attributes, 'y'));
  }

  text(attributes: Attributes, text: string): void {
    const { font, dw, width } = attributes;
    if (font !== undefined) this.fontCell = fontCells[font] ?? 1;
    if (dw !== undefined) this.widthFactor = isTrue(dw) ? 2 : 1;
    if (width !== undefined) this.widthFactor = numberIn(attributes, 'width', 1);
    this.moveTo(attributes);
    for (const piece of text.split(/([\t\n])/)) {
      if (piece === '\n') this.paper.feed(1);
      else if (piece === '\t') this.paper.tab();
      else if (piece !== '') this.paper.print(piece, this.fontCell * this.widthFactor, cellsOf(piece));
    }
  }
}

/** Elements without an entry print nothing that can be read. */
const elements: Readonly<Record<string, (printer: EposPrinter, element: XmlElement) => void>> = {
  text: (printer, { attributes, text }) => printer.text(attributes, text),
  feed: (printer, { attributes }) => printer.feed(attributes),
  cut: ({ paper }) => paper.cut(),
  barcode: ({ paper }, { attributes, text }) => addEposBarcode(attributes['type'] ?? '', text, paper),
  symbol: ({ paper }, { attributes, text }) => addEposSymbol(attributes['type'] ?? '', text, paper),
  image: ({ paper }, { attributes }) => paper.addImage(numberIn(attributes, 'height')),
  command: (printer, { text }) => printer.command(Buffer.from(text.trim(), 'hex')),
  reset: (printer) => printer.reset(),
  page: (printer, { children }) => printer.page(children),
  area: ({ paper }, { attributes }) =>
    paper.setArea({
      x: numberIn(attributes, 'x'),
      y: numberIn(attributes, 'y'),
      width: numberIn(attributes, 'width'),
      height: numberIn(attributes, 'height'),
    }),
  direction: ({ paper }, { attributes }) => paper.setDirection(directions[attributes['dir'] ?? ''] ?? 0),
  position: (printer, { attributes }) => printer.moveTo(attributes),
};

/** The ePOS-Print element, also inside a SOAP envelope. */
function findDocument(element: XmlElement): XmlElement | undefined {
  if (element.name === 'epos-print') return element;
  for (const child of element.children) {
    const found = findDocument(child);
    if (found) return found;
  }
  return undefined;
}

/** Decodes an Epson ePOS-Print document. A cut ends a receipt. */
export function decodeEpos(
  bytes: Buffer,
  options: DecodeOptions<'epos'>,
  contentType: string | null,
): Part[] {
  const document = findDocument(readOrderedXml(bytes, { codepage: options.codepage }, contentType));
  if (!document) throw decodeFailed('has no epos-print element');
  const paper = new Paper(options);
  const printer = new EposPrinter(paper);
  for (const element of document.children) printer.run(element);
  return paper.finish();
}
