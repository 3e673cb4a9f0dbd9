import type { ReturnedReceipt } from '@receipts/contracts';
import { fieldFinding, type Fiscal, type FiscalFinding } from './finding';

interface Fact {
  readonly path: string;
  readonly name: string;
  readonly isThere: boolean;
}

/** The text may be in Swedish or English (SKVFS 2014:10, 5:2). */
const receiptWord = /kvitto|receipt/i;
const copyWord = /kopia|copy/i;

const isPresent = (text: string | null) => text !== null && text.trim() !== '';

/**
 * The facts of SKVFS 2014:9, 7:1 that a stored receipt may lack. It always has the others: its number, date and time,
 * its items with their prices, and its total.
 */
function factsOf(receipt: ReturnedReceipt, { device_id, signature, texts }: Fiscal): readonly Fact[] {
  const { store, retailer, taxes, vat, payments, till_uuid, duplicate } = receipt;
  const isTaxed = vat.length > 0 || (taxes.length > 0 && taxes.every(({ rate }) => rate !== null));
  const hasText = (word: RegExp) => texts.some((text) => word.test(text));
  return [
    { path: '/store/name', name: 'name of the business', isThere: isPresent(store.name ?? store.company) },
    { path: '/store/address', name: 'address of the sale', isThere: store.address.some(isPresent) },
    {
      path: '/store/vatno',
      name: 'organisation number',
      isThere: isPresent(store.vatno ?? retailer.vatno),
    },
    { path: '/taxes', name: 'tax by rate', isThere: isTaxed },
    { path: '/payments', name: 'payment method', isThere: payments.length > 0 },
    { path: '/till_uuid', name: 'till', isThere: isPresent(till_uuid) },
    {
      path: '/fiscal/texts',
      name: duplicate ? 'the word "kopia"' : 'the word "kvitto"',
      isThere: hasText(duplicate ? copyWord : receiptWord),
    },
    { path: '/fiscal/device_id', name: 'serial number of the control unit', isThere: isPresent(device_id) },
    { path: '/fiscal/signature', name: 'control code', isThere: isPresent(signature) },
  ];
}

/**
 * Checks the facts that a Swedish receipt must have: SKVFS 2014:9, chapter 7, section 1, as amended by SKVFS 2021:17;
 * and the control code of the control unit (SKVFS 2009:2). The code itself cannot be checked without the unit.
 */
export function checkSe(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  return factsOf(receipt, fiscal)
    .filter(({ isThere }) => !isThere)
    .map(({ path, name }) => fieldFinding(path, name, null));
}
