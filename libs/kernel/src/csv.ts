/**
 * The first characters of texts that spreadsheets execute as formulas, including full-width forms (OWASP, CSV
 * injection).
 */
const runs = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A cell according to RFC 4180. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cell of an untrusted text. Spreadsheets do not execute it as a formula. */
export const csvTextCell = (text: string | null) =>
  csvCell(text !== null && runs.test(text) ? `'${text}` : (text ?? ''));

/** RFC 4180: every line, including the header, ends with CR LF. */
export const printCsv = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.join(',')}\r\n`).join('');
