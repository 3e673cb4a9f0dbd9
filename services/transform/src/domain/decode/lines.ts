import { tooLarge } from '../faults/conversion-fault';
import { linesMax, partsMax, type Part } from './decoded';

function withoutOuterBlanks(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** Splits text into lines without trailing spaces. Lines longer than the paper's width are wrapped. */
function linesOf(text: string, columns: number | undefined): string[] {
  const lines: string[] = [];
  for (const line of text.replaceAll('\t', ' ').split(/\r\n|\n|\r|\v/)) {
    const shown = line.trimEnd();
    const width = columns ?? Math.max(shown.length, 1);
    for (let start = 0; start === 0 || start < shown.length; start += width) {
      lines.push(shown.slice(start, start + width));
      if (lines.length > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
    }
  }
  return withoutOuterBlanks(lines);
}

interface Layout {
  readonly split?: string | undefined;
  readonly columns?: number | undefined;
}

/**
 * Splits a packet that contains several receipts, with `split` between them.
 * @param clean removes characters that are not text; applied after splitting, because `split` may match such characters
 */
export function partsOf(
  text: string,
  { split, columns }: Layout,
  clean: (part: string) => string = (part) => part,
): Part[] {
  const texts = split === undefined ? [text.replaceAll('\f', '\n')] : text.split(split);
  if (texts.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
  return texts
    .map((part) => ({ lines: linesOf(clean(part), columns) }))
    .filter((part) => part.lines.length > 0);
}
