/** Texts that spreadsheets execute as formulas (OWASP, CSV injection). */
const runs = /^[=+\-@\t\r]/;

/** A cell according to RFC 4180. */
export function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cell of an untrusted text. Spreadsheets do not execute it as a formula. */
export const textCell = (text: string | null) =>
  cell(text !== null && runs.test(text) ? `'${text}` : (text ?? ''));

/** RFC 4180: every line, including the header, ends with CR LF. */
export const printLines = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.join(',')}\r\n`).join('');
