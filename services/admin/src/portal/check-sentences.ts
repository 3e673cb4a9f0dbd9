import type { ReceiptRow } from '@receipts/contracts';
import type { Language } from '../pages/language';

type Check = ReceiptRow['checks'][number];

/** Describes what is wrong with the fiscal data. */
function fiscalSentence({ code, path, expected, actual }: Check, currency: string, { t, money }: Language) {
  const shown = (value: Check['actual']) =>
    typeof value === 'number' ? money(currency)(value) : (value ?? t('checkFault.missing'));
  return t(`checkFault.${code}`, { path, expected: shown(expected), actual: shown(actual) });
}

/** Describes what does not add up. */
export function checkSentence(check: Check, currency: string, language: Language): string {
  const { code, path, expected, actual } = check;
  if (typeof expected !== 'number' || typeof actual !== 'number' || code.startsWith('fiscal_')) {
    return fiscalSentence(check, currency, language);
  }
  const { t, money } = language;
  const amount = money(currency);
  const key = code === 'items_total' && path === '/subtotal' ? 'subtotal' : code;
  const item = Number(path.split('/')[2]) + 1;
  return t(`checkFault.${key}`, { expected: amount(expected), actual: amount(actual), item });
}
