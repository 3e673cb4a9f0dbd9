import type { Reward } from '@receipts/contracts';

const columns = ['id', 'identifier', 'name', 'claimed', 'value', 'timestamp', 'receipt_timestamp'] as const;
/**
 * Columns with texts from the retailer or the consumer, which are escaped so that spreadsheets do not execute them
 * (OWASP, CSV injection).
 */
const texts: ReadonlySet<string> = new Set(['identifier', 'name']);
const runs = /^[=+\-@\t\r]/;

function cellOf(column: (typeof columns)[number], value: Reward[typeof column]): string {
  const text = String(value);
  const defused = texts.has(column) && runs.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

/**
 * RFC 4180: every line, including the header, ends with CR LF.
 * @param isFirst false for the later parts of a list, which have no header
 */
export function printRewards(rewards: readonly Reward[], isFirst = true): string {
  const lines = rewards.map((reward) => columns.map((column) => cellOf(column, reward[column])).join(','));
  return [...(isFirst ? [columns.join(',')] : []), ...lines, ''].join('\r\n');
}
