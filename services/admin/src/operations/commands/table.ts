type Row = Readonly<Record<string, unknown>>;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Texts from other systems may contain control characters, which would affect the terminal. */
// oxlint-disable-next-line no-control-regex
const harmless = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

/** Formats rows as a table with headings. */
export function table(rows: readonly Row[], columns: readonly string[]): string {
  const cells = [
    columns.map((column) => column.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) => columns.map((column) => harmless(cellOf(row[column])))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
