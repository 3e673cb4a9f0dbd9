import type { ReturnedReceipt } from '@receipts/contracts';
import {
  amountFindings,
  codePath,
  fieldFinding,
  malformed,
  missingCode,
  numberFindings,
  sumOf,
  type Fiscal,
  type FiscalFinding,
} from './finding';

const codeForm = 'https://…?nif=…&numserie=…&fecha=…&importe=…';

/**
 * Checks the address of a VERI*FACTU code. Orden HAC/1177/2024, articles 20 and 21, and the technical specification of
 * the tax agency ("Características del QR y especificaciones del servicio de cotejo") describe its parameters.
 */
export function checkEsVerifactu(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  const { qr } = fiscal;
  if (qr === null) return missingCode(codeForm);
  if (!URL.canParse(qr)) return [fieldFinding(codePath, codeForm, qr)];
  const parameters = new URL(qr).searchParams;
  const of = (name: string) => parameters.get(name) ?? undefined;
  const [nif, number = '', day = '', amount = ''] = ['nif', 'numserie', 'fecha', 'importe'].map(of);
  const wrong = malformed([
    ['nif', nif, /^[A-Z0-9]\d{7}[A-Z0-9]$/],
    ['numserie', number, /^.{1,60}$/],
    ['fecha', day, /^\d\d-\d\d-\d{4}$/],
    ['importe', amount, /^[-+]?\d{1,12}(?:\.\d{1,2})?$/],
  ]);
  if (wrong.length > 0) return wrong;
  const [year, month, date] = receipt.localtime.slice(0, 'YYYY-MM-DD'.length).split('-');
  const expected = `${date}-${month}-${year}`;
  return [
    ...(day === expected ? [] : [fieldFinding(codePath, expected, day)]),
    ...amountFindings(sumOf([receipt.total]), sumOf([amount.replace('+', '')])),
    ...numberFindings(fiscal.number, number),
  ];
}
