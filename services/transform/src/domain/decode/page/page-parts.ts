import { tooLarge } from '../../faults/conversion-fault';
import { linesMax, partsMax, type Part, type PrintedCode } from '../../decoded/decoded';

/** How the lines of a page become parts. */
export interface Layout {
  /** A text between receipts; `none` joins all parts. */
  readonly split?: string | undefined;
  /** The width of the paper, where longer lines are wrapped. */
  readonly columns?: number | undefined;
}

interface Printed {
  readonly lines: readonly string[];
  readonly codes?: readonly PrintedCode[];
}

export const noSplit = 'none';
export const partBreak = '\f';

function wrapped(lines: readonly string[], columns: number | undefined): readonly string[] {
  if (columns === undefined || lines.every((line) => line.length <= columns)) return lines;
  const all: string[] = [];
  for (const line of lines) {
    for (let start = 0; start === 0 || start < line.length; start += columns) {
      all.push(line.slice(start, start + columns));
      if (all.length > linesMax) throw tooLarge('/decode', `the data has more than ${linesMax} lines`);
    }
  }
  return all;
}

/** A part without blank lines at its start and end; none if nothing is printed. */
function partOf({ lines, codes = [] }: Printed): Part[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  const shown =
    first < 0 ? [] : first === 0 && last === lines.length - 1 ? lines : lines.slice(first, last + 1);
  if (shown.length === 0 && codes.length === 0) return [];
  const moved = codes.map((code) => ({
    ...code,
    line: Math.min(Math.max(code.line - Math.max(first, 0), 0), shown.length),
  }));
  return [{ lines: shown, ...(moved.length > 0 && { codes: moved }) }];
}

/** Divides lines at `split`, which may contain line ends. */
function divided({ lines, codes = [] }: Printed, split: string): Printed[] {
  const pieces = lines.join('\n').split(split);
  if (pieces.length > partsMax) throw tooLarge('/decode', `the data has more than ${partsMax} parts`);
  let start = 0;
  return pieces.map((piece, index) => {
    const own = piece.split('\n');
    const begin = start;
    start += own.length - 1 + (split.split('\n').length - 1);
    const isLast = index === pieces.length - 1;
    return {
      lines: own.map((line) => line.trimEnd()),
      codes: codes
        .filter(({ line }) => line >= begin && (isLast || line < start))
        .map((code) => ({ ...code, line: code.line - begin })),
    };
  });
}

/** The parts of a piece of paper. */
export function partsOfLines(printed: Printed, { split, columns }: Layout): Part[] {
  const given = { ...printed, lines: wrapped(printed.lines, columns) };
  const pieces = split === undefined || split === noSplit ? [given] : divided(given, split);
  return pieces.flatMap(partOf);
}

/** All parts, or with `split: "none"` one that has a form feed between them. */
export function joined(parts: readonly Part[], { split }: Layout): Part[] {
  if (split !== noSplit || parts.length < 2) return [...parts];
  const lines: string[] = [];
  const codes: PrintedCode[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) lines.push(partBreak);
    for (const code of part.codes ?? []) codes.push({ ...code, line: code.line + lines.length });
    lines.push(...(part.lines ?? []));
  }
  return [{ lines, ...(codes.length > 0 && { codes }) }];
}
