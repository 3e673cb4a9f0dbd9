const formula = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
/**
 * The places in a text where a spreadsheet may find a formula, including full-width forms (OWASP, CSV injection): its
 * beginning, and what follows a separator. Where a semicolon or tab separates cells, the quotes of the cell do not count,
 * because they are then in the middle of another one.
 */
const formulas = new RegExp(`^(?=${formula}|[\\t\\r\\n])|(?=${formula})(?<=[;\\t\\r\\n][\\s"]*)`, 'g');

/** A cell according to RFC 4180. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cell of an untrusted text. Spreadsheets do not execute it as a formula. */
export const csvTextCell = (text: string | null) => csvCell((text ?? '').replace(formulas, "'"));

/** RFC 4180: every line, including the header, ends with CR LF. */
export const printCsv = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.join(',')}\r\n`).join('');
