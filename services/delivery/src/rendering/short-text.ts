import type { ReceiptView } from './view';

/** A message of one part has 160 characters; the address takes most of a second one. */
const nameMax = 60;

/** The blanks of `Intl` that stand in no SMS alphabet would halve what fits into a message. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

/** A receipt for channels that carry a few words: who, how much, and where to see it. */
export function shortTextOf({ brand, total, labels }: ReceiptView, page: string): string {
  const name = brand.name.length > nameMax ? `${brand.name.slice(0, nameMax)}…`.toWellFormed() : brand.name;
  return `${plain(name)}: ${plain(total.amount)}\n${labels.receipt}: ${page}`;
}
