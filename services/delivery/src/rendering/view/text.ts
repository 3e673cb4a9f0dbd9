const charactersMax = 500;

/** The lines that have any text. */
export const present = (lines: readonly (string | null | undefined)[]): string[] =>
  lines.map((line) => clean(line ?? '')).filter((line) => line !== '');

/**
 * One line of text of limited length. Control characters and direction overrides are removed, as they could disguise
 * text.
 */
export function clean(text: string): string {
  const bearable = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  return (
    bearable
      .replace(/\s+/g, ' ')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .toWellFormed()
      .trim()
  );
}
