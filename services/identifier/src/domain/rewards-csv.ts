import type { Reward } from '@receipts/contracts';

const columns = ['id', 'identifier', 'name', 'claimed', 'value', 'timestamp', 'receipt_timestamp'] as const;
/** Texts of the retailer's or the consumer's own making: spreadsheets run cells that begin so (OWASP, CSV injection). */
const texts: ReadonlySet<string> = new Set(['identifier', 'name']);
const runs = /^[=+\-@\t\r]/;

function cellOf(column: (typeof columns)[number], value: Reward[typeof column]): string {
  const text = String(value);
  const defused = texts.has(column) && runs.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

/** RFC 4180: every line, the one of the names too, ends with CR LF. */
export function printRewards(rewards: readonly Reward[]): string {
  const lines = rewards.map((reward) => columns.map((column) => cellOf(column, reward[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}
