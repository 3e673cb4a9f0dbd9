import type { ReceiptView } from '../view/view';

/** A single message has 160 characters; the URL takes up most of a second one. */
const nameMax = 60;

/** The no-break spaces of `Intl` are not in the SMS alphabet and would halve the number of characters per message. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

/** A receipt for channels with short texts: the shop, the total, and the URL. */
export function shortTextOf({ brand, total, labels }: ReceiptView, page: string): string {
  const name = brand.name.length > nameMax ? `${brand.name.slice(0, nameMax)}…`.toWellFormed() : brand.name;
  return `${plain(name)}: ${plain(total.amount)}\n${labels.receipt}: ${page}`;
}
