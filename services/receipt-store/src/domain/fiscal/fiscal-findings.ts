import type { ReturnedReceipt } from '@receipts/contracts';
import { checkAtRksv } from './at-rksv';
import { checkDeTse } from './de-tse';
import { checkEsTicketbai } from './es-ticketbai';
import { checkEsVerifactu } from './es-verifactu';
import type { Fiscal, FiscalFinding } from './finding';
import { checkPt } from './pt';
import { checkSe } from './se';

type Check = (receipt: ReturnedReceipt, fiscal: Fiscal) => FiscalFinding[];

/** The data of other regimes is stored and shown, but not checked. */
const checks: Partial<Readonly<Record<Fiscal['regime'], Check>>> = {
  'de-tse': checkDeTse,
  'at-rksv': checkAtRksv,
  pt: checkPt,
  'es-ticketbai': checkEsTicketbai,
  'es-verifactu': checkEsVerifactu,
  se: checkSe,
};

/** What is wrong with the fiscal data of a receipt; empty without such data. */
export function fiscalFindings(receipt: ReturnedReceipt): readonly FiscalFinding[] {
  const { fiscal } = receipt;
  return fiscal ? (checks[fiscal.regime]?.(receipt, fiscal) ?? []) : [];
}
