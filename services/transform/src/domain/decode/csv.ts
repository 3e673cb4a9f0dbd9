import { parse, CsvError } from 'csv-parse/sync';
import { decodeFailed, tooLarge } from '../faults/conversion-fault';
import { decodeText } from './charset';
import { rowsMax, type DecodeOptions, type Part } from '../decoded/decoded';

const columnsMax = 500;
const recordCharactersMax = 100_000;

/** Removes quoted values. A quote inside an unquoted value is a character. */
function withoutQuoted(line: string, quote: string): string {
  const escaped = quote.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return line.replace(new RegExp(`(^|[;\\t|,])\\s*${escaped}[^${escaped}]*(?:${escaped}|$)`, 'g'), '$1');
}

/** The separator that occurs most often outside of quotes in the first line that is not empty. */
function guessDelimiter(text: string, quote: string): string {
  const first = withoutQuoted(/[^\r\n]+/.exec(text)?.[0] ?? '', quote);
  const counts = [';', '\t', '|', ','].map((sign) => ({ sign, count: first.split(sign).length - 1 }));
  return counts.reduce((best, next) => (next.count >= best.count ? next : best)).sign;
}

/** The names of the columns: the second of two equal names is `name_2`, the third `name_3`. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; taken.has(own); number++) own = `${name}_${number}`;
    taken.add(own);
    return own;
  });
}

function rowOf(names: readonly string[], cells: readonly string[]): Record<string, string> {
  const entries = cells.map((cell, index): [string, string] => [names[index] ?? `column${index + 1}`, cell]);
  return Object.fromEntries(entries);
}

function readRecords(text: string, options: DecodeOptions<'csv'>): string[][] {
  const { quote = '"', delimiter = guessDelimiter(text, quote) } = options;
  try {
    return parse(text, {
      delimiter,
      quote,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      bom: true,
      max_record_size: recordCharactersMax,
      to: rowsMax + 2,
    });
  } catch (error) {
    const line = error instanceof CsvError && typeof error['lines'] === 'number' ? error['lines'] : undefined;
    throw decodeFailed(`is not valid CSV: ${error instanceof Error ? error.message : 'unreadable'}`, line);
  }
}

/**
 * `doc` is the list of rows, each an object by column name: from the header line, or from the mapping, or `column1`,
 * `column2` and so on. Cells are strings.
 */
export function decodeCsv(bytes: Buffer, options: DecodeOptions<'csv'>, contentType: string | null): Part[] {
  let text = decodeText(bytes, options.codepage, contentType);
  if (options.skip_lines)
    text = text
      .split(/\r\n|\n|\r/)
      .slice(options.skip_lines)
      .join('\n');
  const records = readRecords(text, options);
  if (records.length > rowsMax + 1) throw tooLarge('/decode', `the data has more than ${rowsMax} rows`);
  if (records.some((record) => record.length > columnsMax)) {
    throw tooLarge('/decode', `the data has more than ${columnsMax} columns`);
  }
  const header = options.header ?? true;
  const names = distinct(Array.isArray(header) ? header : header ? (records.shift() ?? []) : []);
  return [{ doc: records.map((record) => rowOf(names, record)) }];
}
