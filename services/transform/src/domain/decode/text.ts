import { tooLarge } from '../faults/conversion-fault';
import { decodeText } from './charset';
import { linesMax, partsMax, type DecodeOptions, type Part } from '../decoded/decoded';
import { joined, noSplit, partBreak, partsOfLines } from './page/page-parts';
import { cellsOf } from './printers/code-page';

// oxlint-disable-next-line no-control-regex -- Removing control characters is the purpose of this pattern.
const noText = /[\x00-\x08\x0e-\x1f\x7f\ufeff]/g;
const tabColumns = 8;

/** Each tab continues at the next stop. */
function withTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let text = '';
  let column = 0;
  for (const [index, piece] of line.split('\t').entries()) {
    if (index > 0) {
      const spaces = tabColumns - (column % tabColumns);
      text += ' '.repeat(spaces);
      column += spaces;
    }
    text += piece;
    column += cellsOf(piece);
  }
  return text;
}

/** A carriage return before the same line again prints it in the same place, in bold. */
function withoutOverprint(line: string, index: number, lines: readonly string[]): boolean {
  return line !== lines[index + 1];
}

function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.replace(noText, '').split(/\r\n|\n|\v/)) {
    const printed = line.includes('\r') ? line.split('\r').filter(withoutOverprint) : [line];
    for (const one of printed) lines.push(withTabs(one.trimEnd()));
    if (lines.length > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
  }
  return lines;
}

/**
 * Decodes plain printer text. A form feed or `split` ends a receipt. Other control characters are removed, after splitting
 * receipts.
 */
export function decodePlainText(
  bytes: Buffer,
  options: DecodeOptions<'text'>,
  contentType: string | null,
): Part[] {
  const { split, columns } = options;
  const text = decodeText(bytes, options.codepage, contentType);
  const receipts = split === undefined || split === noSplit ? [text] : text.split(split);
  const texts = receipts.flatMap((receipt) => receipt.split(partBreak));
  if (texts.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
  const parts = texts.flatMap((part) => partsOfLines({ lines: linesOf(part) }, { columns }));
  return joined(parts, { split });
}
