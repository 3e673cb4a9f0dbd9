/** The maximum length of a printed amount. */
const charactersMax = 100;

/**
 * Parses an amount as printed by tills: `1.234,50`, `1,234.50`, `€ 12,50-`, `(3.00)`, `12.50 CR`. If both separators
 * occur, the last separator is the decimal separator. A single comma before exactly three digits separates thousands; a
 * single point is a decimal point.
 * @param decimal the decimal separator, if these rules do not apply
 * @returns undefined for text without digits
 */
export function readMoney(text: string, decimal?: string): number | undefined {
  if (text.length > charactersMax) return undefined;
  const digits = text.replace(/[^0-9.,]/g, '').replace(/^[.,]+(?=.*[.,])|[.,]+$/g, '');
  if (!/[0-9]/.test(digits)) return undefined;
  const sign = decimal === '.' || decimal === ',' ? decimal : decimalSign(digits);
  const plain = [...digits].filter((character) => character === sign || /[0-9]/.test(character)).join('');
  const value = Number(sign === ',' ? plain.replace(',', '.') : plain);
  if (!Number.isFinite(value)) return undefined;
  return isNegative(text) && value !== 0 ? -value : value;
}

function isNegative(text: string): boolean {
  return (
    /[-\u2212]\s*[^0-9\s]*\s*[.,]?[0-9]/.test(text) ||
    /[0-9]\s*(?:[-\u2212]|CR\b)/i.test(text) ||
    /\(.*[0-9].*\)/.test(text)
  );
}

function decimalSign(digits: string): '.' | ',' | undefined {
  const point = digits.lastIndexOf('.');
  const comma = digits.lastIndexOf(',');
  if (point >= 0 && comma >= 0) return point > comma ? '.' : ',';
  if (point >= 0) return digits.indexOf('.') === point ? '.' : undefined;
  if (comma >= 0 && digits.indexOf(',') === comma && !/^[1-9]\d{0,2},\d{3}$/.test(digits)) return ',';
  return undefined;
}
