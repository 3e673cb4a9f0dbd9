import type { FailingReceipt } from '@receipts/contracts';
import type { Language } from '../pages/language';

/** Describes what does not add up. */
export function checkSentence(
  { code, path, expected, actual }: FailingReceipt['checks'][number],
  currency: string,
  { t, money }: Language,
): string {
  const amount = money(currency);
  const key = code === 'items_total' && path === '/subtotal' ? 'subtotal' : code;
  const item = Number(path.split('/')[2]) + 1;
  return t(`checkFault.${key}`, { expected: amount(expected), actual: amount(actual), item });
}
