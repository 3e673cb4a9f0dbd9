import type { ReturnedReceipt } from '@receipts/contracts';
import {
  amountFindings,
  codePath,
  fieldFinding,
  malformed,
  missingCode,
  numberFindings,
  signatureFinding,
  sumOf,
  type Fiscal,
  type FiscalFinding,
} from './finding';

const polynomial = 0x07;
const decimalDigits = 3;

/** CRC-8 with the polynomial x^8 + x^2 + x + 1, as three decimal digits. */
function crc8(text: string): string {
  let crc = 0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80 ? (crc << 1) ^ polynomial : crc << 1) & 0xff;
  }
  return String(crc).padStart(decimalDigits, '0');
}

const idPattern = /^TBAI-[A-Z0-9]{9}-\d{6}-.{13}-\d{3}$/;
const codeForm = 'https://…?id=…&s=…&nf=…&i=…&cr=…';

/** Finds a check sum that does not match the text before it. */
function checkSumFindings(text: string): FiscalFinding[] {
  const expected = crc8(text.slice(0, -decimalDigits));
  const actual = text.slice(-decimalDigits);
  return expected === actual ? [] : [signatureFinding(actual, expected)];
}

/** The check sum at the end of the address covers everything before its parameter. */
function addressFindings(address: string, checkSum: string): FiscalFinding[] {
  const expected = crc8(address.slice(0, address.lastIndexOf('&cr=')));
  return expected === checkSum ? [] : [signatureFinding(checkSum, expected)];
}

const digits = (text: string) => text.replace(/^0+(?=\d)/, '');

/** The receipt's number is compared if it consists of digits, with or without the series before it. */
function isOtherNumber({ transaction_id: id }: ReturnedReceipt, series: string, number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  const own = series !== '' && id.startsWith(series) ? id.slice(series.length).replace(/^\D/, '') : id;
  return /^\d+$/.test(own) && digits(own) !== digits(number);
}

/**
 * Checks the address of a TicketBAI code. The specification of the three Basque treasuries ("Especificaciones técnicas
 * del código QR", annex V of Orden Foral 1482/2020 of Bizkaia) describes its parameters and check sums.
 */
export function checkEsTicketbai(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  const { qr } = fiscal;
  if (qr === null) return missingCode(codeForm);
  if (!URL.canParse(qr)) return [fieldFinding(codePath, codeForm, qr)];
  const parameters = new URL(qr).searchParams;
  const of = (name: string) => parameters.get(name) ?? undefined;
  const [id = '', series, number = '', amount = '', checkSum = ''] = ['id', 's', 'nf', 'i', 'cr'].map(of);
  const wrong = malformed([
    ['id', id, idPattern],
    ['s', series, /^.{0,20}$/],
    ['nf', number, /^.{1,20}$/],
    ['i', amount, /^-?\d{1,12}(?:\.\d{1,2})?$/],
    ['cr', checkSum, /^\d{3}$/],
  ]);
  if (wrong.length > 0) return wrong;
  return [
    ...checkSumFindings(id),
    ...addressFindings(qr, checkSum),
    ...amountFindings(sumOf([receipt.total]), sumOf([amount])),
    ...(isOtherNumber(receipt, series ?? '', number)
      ? [fieldFinding(codePath, receipt.transaction_id, number)]
      : []),
    ...numberFindings(fiscal.number, number),
  ];
}
